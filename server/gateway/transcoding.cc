#include "server/gateway/transcoding.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver_util.h>

#include <cctype>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "engine/errors/error_details.h"
#include "engine/json/fault.h"
#include "server/gateway/json_fault.h"

namespace priorityd::gateway {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
namespace util = google::protobuf::util;

constexpr size_t kMostQuotedParameter = 80;
constexpr char kTypeUrl[] = "type.googleapis.com";

absl::Status Wrong(const char* reason, absl::string_view where, absl::string_view what) {
  return errors::BadRequestError(reason, {{std::string(where), std::string(what)}});
}

bool IsWellKnown(const Descriptor& type) {
  return absl::StartsWith(type.full_name(), "google.protobuf.");
}

// The JSON of one parameter, `{"a":{"b":["value"]}}`, and its field.
absl::Status Build(const Descriptor& type, const std::vector<std::string>& path, size_t at,
                   const std::string& value, const FieldDescriptor** field, nlohmann::json* json) {
  *field = json::FindField(type, path[at]);
  if (*field == nullptr) return absl::InvalidArgumentError("want the name of a field");
  const bool is_message = (*field)->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
  nlohmann::json& member = (*json)[(*field)->name()];
  if (is_message && !IsWellKnown(*(*field)->message_type())) {
    if ((*field)->is_repeated()) return absl::InvalidArgumentError("want it in the body of a POST");
    member = nlohmann::json::object();
    if (at + 1 == path.size()) return absl::OkStatus();
    return Build(*(*field)->message_type(), path, at + 1, value, field, &member);
  }
  if (at + 1 != path.size()) return absl::InvalidArgumentError("want no further fields in it");
  const bool is_bool = (*field)->cpp_type() == FieldDescriptor::CPPTYPE_BOOL;
  nlohmann::json scalar = value;
  if (is_bool && (value == "true" || value == "false")) scalar = value == "true";
  member = (*field)->is_repeated() ? nlohmann::json::array({scalar}) : scalar;
  return absl::OkStatus();
}

template <typename Status>
absl::string_view Text(const Status& status) {
  return {status.message().data(), status.message().size()};
}

absl::Status AddParameter(const std::string& name, const std::string& value,
                          std::set<const FieldDescriptor*>* given, Message* message) {
  const std::vector<std::string> path = absl::StrSplit(name, '.');
  const FieldDescriptor* field = nullptr;
  nlohmann::json json = nlohmann::json::object();
  absl::Status built = Build(*message->GetDescriptor(), path, 0, value, &field, &json);
  if (!built.ok()) return built;
  if (!given->insert(field).second && !field->is_repeated()) {
    return absl::InvalidArgumentError("got it twice, want it once");
  }
  const std::unique_ptr<Message> part(message->New());
  const std::string text = json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  const auto parsed = util::JsonStringToMessage(text, part.get());
  if (!parsed.ok()) return absl::InvalidArgumentError(JsonFaultOf(Text(parsed)).what);
  message->MergeFrom(*part);
  return absl::OkStatus();
}

}  // namespace

std::string ToJson(const Message& message) {
  util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  std::string json;
  if (!util::MessageToJsonString(message, &json, options).ok()) return "{}";
  return json;
}

absl::StatusOr<std::string> BytesFromJson(absl::string_view json, const Descriptor& type) {
  static util::TypeResolver* const resolver = util::NewTypeResolverForDescriptorPool(
      kTypeUrl, google::protobuf::DescriptorPool::generated_pool());
  std::string bytes;
  if (json.empty()) return bytes;
  if (const auto fault = json::FaultIn(json, type, {WantedBy, /*proto_names=*/true})) {
    return Wrong(fault->is_json ? "INVALID_JSON_FIELD" : "MALFORMED_JSON",
                 fault->path.empty() ? "body" : Printable(fault->path), fault->what);
  }
  const auto read = util::JsonToBinaryString(
      resolver, absl::StrCat(kTypeUrl, "/", type.full_name()), {json.data(), json.size()}, &bytes);
  if (read.ok()) return bytes;
  const JsonFault fault = JsonFaultOf(Text(read));
  return Wrong("INVALID_JSON_FIELD", fault.field.empty() ? "body" : fault.field, fault.what);
}

std::string PercentDecoded(absl::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto digit = [&](size_t at) {
      return at < text.size() ? absl::string_view("0123456789abcdef")
                                    .find(static_cast<char>(std::tolower(text[at])))
                              : absl::string_view::npos;
    };
    const size_t high = digit(i + 1), low = digit(i + 2);
    const bool is_code =
        text[i] == '%' && high != absl::string_view::npos && low != absl::string_view::npos;
    plain += is_code ? static_cast<char>(high * 16 + low) : text[i];
    if (is_code) i += 2;
  }
  return plain;
}

absl::StatusOr<std::vector<std::pair<std::string, std::string>>> QueryParameters(
    absl::string_view query) {
  const std::vector<absl::string_view> parameters = absl::StrSplit(query, '&', absl::SkipEmpty());
  if (parameters.size() > kMaxParameters) {
    return Wrong(
        "INVALID_PARAMETER", "query",
        absl::StrCat("got ", parameters.size(), " parameters, want at most ", kMaxParameters));
  }
  const auto decoded = [](const std::string& text) {
    return PercentDecoded(absl::StrReplaceAll(text, {{"+", " "}}));
  };
  std::vector<std::pair<std::string, std::string>> all;
  for (const absl::string_view parameter : parameters) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(parameter, absl::MaxSplits('=', 1));
    all.emplace_back(decoded(parts.first), decoded(parts.second));
  }
  return all;
}

absl::Status FromQuery(absl::string_view query, Message* message) {
  const auto parameters = QueryParameters(query);
  if (!parameters.ok()) return parameters.status();
  std::set<const FieldDescriptor*> given;
  for (const auto& [name, value] : *parameters) {
    const absl::Status added = AddParameter(name, value, &given, message);
    if (!added.ok()) {
      return Wrong("INVALID_PARAMETER", Printable(name.substr(0, kMostQuotedParameter)),
                   added.message());
    }
  }
  return absl::OkStatus();
}

}  // namespace priorityd::gateway
