#include "client/prioctl/input/json_lines.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/prioctl/input/file_kind.h"
#include "client/prioctl/input/json_violation.h"
#include "client/prioctl/input/proto_json.h"
#include "engine/json/fault.h"
#include "google/protobuf/util/json_util.h"

namespace priorityd::prioctl {

absl::Status ParseJson(absl::string_view json, google::protobuf::Message* message) {
  const json::Words words = {WantedValue, /*proto_names=*/false};
  auto fault = json::FaultIn(json, *message->GetDescriptor(), words);
  // Protobuf takes more than JSON, such as single quotes; ToProtoJson returns JSON.
  if (fault.has_value() && !fault->is_json) {
    fault = json::FaultIn(ToProtoJson(json, *message), *message->GetDescriptor(), words);
  }
  if (fault.has_value() && fault->is_json) {
    return absl::InvalidArgumentError(
        absl::StrCat(fault->path, fault->path.empty() ? "" : ": ", fault->what));
  }
  const auto status =
      google::protobuf::util::JsonStringToMessage({json.data(), json.size()}, message);
  if (status.ok()) return absl::OkStatus();
  const std::string corrected = ToProtoJson(json, *message);
  message->Clear();
  if (google::protobuf::util::JsonStringToMessage(corrected, message).ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(JsonViolation(corrected, *message));
}

absl::string_view WithoutByteOrderMark(absl::string_view line) {
  absl::ConsumePrefix(&line, "\xEF\xBB\xBF");
  return line;
}

std::string LineViolation(absl::string_view line, absl::string_view why) {
  const FileKind kind = LookAt(line);
  if (kind == FileKind::kUnknown || kind == FileKind::kJson) return std::string(why);
  return absl::StrCat("this looks like ", KindName(kind), ", want JSON Lines");
}

absl::StatusOr<bool> JsonLinesReader::Next(google::protobuf::Message* message) {
  while (std::getline(*input_, line_)) {
    ++line_number_;
    bytes_read_ += static_cast<int64_t>(line_.size()) + 1;
    const absl::string_view json =
        absl::StripAsciiWhitespace(line_number_ == 1 ? WithoutByteOrderMark(line_) : line_);
    if (json.empty()) continue;
    message->Clear();
    const absl::Status status = ParseJson(json, message);
    if (status.ok()) return true;
    return absl::InvalidArgumentError(
        absl::StrCat(name_, " line ", line_number_, ": ", LineViolation(json, status.message())));
  }
  if (input_->bad()) return absl::DataLossError(absl::StrCat(name_, ": cannot be read"));
  return false;
}

std::string ToJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  std::string json;
  const auto status = google::protobuf::util::MessageToJsonString(message, &json, options);
  return status.ok() ? json : "{}";
}

absl::Status PrintJson(const google::protobuf::Message& message, std::ostream& out) {
  out << ToJson(message) << '\n';
  return absl::OkStatus();
}

}  // namespace priorityd::prioctl
