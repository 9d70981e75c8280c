#include "client/prioctl/json_lines.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/util/json_util.h"

namespace priorityd::prioctl {
namespace {

constexpr absl::string_view kUnknownField = ": Cannot find field.";
constexpr absl::string_view kInvalidValue = ": invalid value ";
constexpr absl::string_view kForType = " for type ";
constexpr absl::string_view kTypePrefix = "type.googleapis.com/";

// `submit_time` as proto JSON spells it: `submitTime`.
std::string JsonName(absl::string_view field) {
  std::string name;
  bool upper = false;
  for (const char c : field) {
    if (c == '_') {
      upper = true;
    } else {
      name += upper ? absl::ascii_toupper(c) : c;
      upper = false;
    }
  }
  return name;
}

// `(tres[0].value)` as `tres[0].value`; empty for the message itself.
std::string Path(absl::string_view text) {
  absl::ConsumePrefix(&text, "(");
  absl::ConsumeSuffix(&text, ")");
  return JsonName(text);
}

// The values of an enum, or nothing if it is none.
std::string EnumValues(absl::string_view type) {
  const google::protobuf::EnumDescriptor* descriptor =
      google::protobuf::DescriptorPool::generated_pool()->FindEnumTypeByName(std::string(type));
  if (descriptor == nullptr) return "";
  std::vector<std::string> names;
  for (int i = 0; i < descriptor->value_count(); ++i) {
    if (descriptor->value(i)->number() != 0) names.push_back(descriptor->value(i)->name());
  }
  return absl::StrCat("one of ", absl::StrJoin(names, ", "));
}

// What a value of this type looks like, as protobuf names types in its errors.
std::string Wanted(absl::string_view type) {
  absl::ConsumePrefix(&type, kTypePrefix);
  if (type == "google.protobuf.Timestamp") return "a time such as \"2026-11-20T13:07:11Z\"";
  if (type == "google.protobuf.Duration") return "a duration such as \"3600s\"";
  if (type == "TYPE_UINT32") return "a whole number from 0 to 4294967295";
  if (type == "TYPE_DOUBLE") return "a number";
  if (type == "TYPE_BOOL") return "true or false";
  if (absl::StartsWith(type, "TYPE_SINT") || absl::StartsWith(type, "TYPE_INT")) {
    return "a whole number";
  }
  const std::string values = EnumValues(type);
  return values.empty() ? absl::StrCat("a ", type) : values;
}

// Protobuf's words about a value that does not fit, in ours.
std::string InvalidValue(absl::string_view place, absl::string_view rest) {
  const size_t for_type = rest.rfind(kForType);
  absl::string_view value = rest.substr(0, for_type);
  const absl::string_view wanted = rest.substr(for_type + kForType.size());
  // Timestamps, durations and maps come with a sentence instead of the value.
  if (const size_t colon = value.rfind(": "); absl::StartsWith(value, "Field '")) {
    if (colon != absl::string_view::npos) value.remove_prefix(colon + 2);
    if (const size_t is = value.rfind(" is "); is != absl::string_view::npos) {
      value.remove_prefix(is + 4);
    }
  }
  if (place.empty()) return std::string(value);
  if (absl::StartsWith(value, "Field '") || absl::StartsWith(value, "Illegal duration")) {
    return absl::StrCat(Path(place), ": want ", Wanted(wanted));
  }
  return absl::StrCat(Path(place), ": got ", value, ", want ", Wanted(wanted));
}

// An error of protobuf's JSON parser in the words of this program.
std::string Rephrase(absl::string_view message) {
  message = message.substr(0, message.find('\n'));
  if (absl::ConsumeSuffix(&message, kUnknownField)) {
    const std::vector<absl::string_view> parts = absl::StrSplit(message, ' ');
    const std::string place = parts.size() > 1 ? absl::StrCat(Path(parts[0]), ": ") : "";
    return absl::StrCat(place, "unknown field \"", parts.back(), "\"");
  }
  const size_t invalid = message.find(kInvalidValue);
  if (invalid != absl::string_view::npos && message.rfind(kForType) != absl::string_view::npos) {
    return InvalidValue(message.substr(0, invalid), message.substr(invalid + kInvalidValue.size()));
  }
  if (absl::StrContains(message, "Root element")) return "want one JSON object per line";
  return absl::StrCat("not JSON: ", message);
}

}  // namespace

absl::Status ParseJson(absl::string_view json, google::protobuf::Message* message) {
  const auto status =
      google::protobuf::util::JsonStringToMessage({json.data(), json.size()}, message);
  if (status.ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(Rephrase(std::string(status.message())));
}

absl::StatusOr<bool> JsonLinesReader::Next(google::protobuf::Message* message) {
  while (std::getline(*input_, line_)) {
    ++line_number_;
    bytes_read_ += static_cast<int64_t>(line_.size()) + 1;
    const absl::string_view json = absl::StripAsciiWhitespace(line_);
    if (json.empty()) continue;
    message->Clear();
    const absl::Status status = ParseJson(json, message);
    if (status.ok()) return true;
    return absl::InvalidArgumentError(
        absl::StrCat(name_, " line ", line_number_, ": ", status.message()));
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

}  // namespace priorityd::prioctl
