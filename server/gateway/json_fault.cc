#include "server/gateway/json_fault.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <map>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"

namespace priorityd::gateway {
namespace {

using google::protobuf::DescriptorPool;

constexpr size_t kMostText = 400;
constexpr size_t kMostQuoted = 80;
constexpr int kMostNames = 30;
constexpr char kTypeUrl[] = "type.googleapis.com/";

std::string EnumNames(const google::protobuf::EnumDescriptor& type) {
  std::vector<std::string> names;
  for (int i = 0; i < std::min(type.value_count(), kMostNames); ++i) {
    names.push_back(type.value(i)->name());
  }
  return absl::StrCat("one of ", absl::StrJoin(names, ", "));
}

// The valid syntax for the parser's names of types.
std::string Wanted(absl::string_view type) {
  static const auto* const kTypes = new std::map<absl::string_view, const char*>{
      {"TYPE_INT32", "a whole number of 32 bits"},
      {"TYPE_INT64", "a whole number of 64 bits"},
      {"TYPE_UINT32", "a whole number of 0 to 4294967295"},
      {"TYPE_UINT64", "a whole number of 0 or more, of 64 bits"},
      {"TYPE_DOUBLE", "a number"},
      {"TYPE_FLOAT", "a number"},
      {"TYPE_BOOL", "true or false"},
      {"TYPE_STRING", "a text"},
      {"TYPE_BYTES", "a text of base64"},
      {"google.protobuf.Timestamp", "a time as 2026-01-05T00:00:00Z"},
      {"google.protobuf.Duration", "a duration as 3600s"}};
  const absl::string_view name = absl::StripPrefix(type, kTypeUrl);
  if (const auto found = kTypes->find(name); found != kTypes->end()) return found->second;
  const auto* values = DescriptorPool::generated_pool()->FindEnumTypeByName(std::string(name));
  return values != nullptr ? EnumNames(*values) : "an object";
}

// `(upserts[1]) nope` and `(upserts[1])` are paths with their last part behind or within.
std::string PathOf(absl::string_view place) {
  if (!absl::ConsumePrefix(&place, "(")) return std::string(place);
  const size_t end = place.find(')');
  const absl::string_view path = place.substr(0, end);
  if (end == absl::string_view::npos || end + 1 == place.size()) return std::string(path);
  return absl::StrCat(path, ".", absl::StripPrefix(place.substr(end + 1), " "));
}

std::string Below(const std::string& path, absl::string_view name) {
  return path.empty() ? std::string(name) : absl::StrCat(path, ".", name);
}

// The text between the first `'` after `before` and the next one.
absl::string_view QuotedBehind(absl::string_view text, absl::string_view before) {
  text.remove_prefix(std::min(text.size(), text.find(before) + before.size()));
  return text.substr(0, text.find('\''));
}

std::string Shortened(absl::string_view value) {
  const bool is_long = value.size() > kMostQuoted;
  return absl::StrCat(Printable(value.substr(0, kMostQuoted)), is_long ? "..." : "");
}

// Of `invalid value VALUE for type TYPE`.
JsonFault InvalidValue(const std::string& path, absl::string_view value, absl::string_view type) {
  if (type == "oneof") {
    return {Below(path, QuotedBehind(value, "Cannot set '")),
            absl::StrCat("got it beside another ", Shortened(QuotedBehind(value, "oneof field '")),
                         ", want one of them")};
  }
  if (absl::StartsWith(value, "Starting an object on a scalar field")) {
    return {path.empty() ? std::string(type) : path, "got an object, want a value"};
  }
  if (absl::ConsumePrefix(&value, "Field '")) {
    value.remove_prefix(std::min(value.size(), value.find("', ") + 3));
    if (absl::ConsumePrefix(&value, "Invalid time format: ")) {
      return {path, absl::StrCat("got ", Shortened(value), ", want ", Wanted(type))};
    }
    return {path, absl::StrCat(Shortened(value), "; want ", Wanted(type))};
  }
  return {path, absl::StrCat("got ", Shortened(value), ", want ", Wanted(type))};
}

JsonFault Understood(absl::string_view message) {
  constexpr absl::string_view kInvalid = ": invalid value ", kType = " for type ";
  const size_t end = message.find(kInvalid), type = message.rfind(kType),
               from = end + kInvalid.size();
  if (end != absl::string_view::npos && type != absl::string_view::npos && from <= type) {
    return InvalidValue(PathOf(message.substr(0, end)), message.substr(from, type - from),
                        message.substr(type + kType.size()));
  }
  if (absl::ConsumeSuffix(&message, ": Cannot find field.")) {
    return {PathOf(message), "want the name of a field"};
  }
  if (absl::ConsumeSuffix(&message, ": Proto field is not repeating, cannot start list.")) {
    return {PathOf(message), "got a list, want one value"};
  }
  if (message == ": Root element must be a message.") return {"", "want an object"};
  return {"", Printable(message)};
}

}  // namespace

std::string WantedBy(const google::protobuf::FieldDescriptor& field) {
  using google::protobuf::FieldDescriptor;
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
    return Wanted(field.message_type()->full_name());
  }
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM) return EnumNames(*field.enum_type());
  return Wanted(absl::StrCat("TYPE_", absl::AsciiStrToUpper(field.type_name())));
}

std::string Printable(absl::string_view text) {
  std::string one_line(text.substr(0, std::min(text.size(), kMostText)));
  for (char& c : one_line) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) c = ' ';
  }
  return one_line;
}

JsonFault JsonFaultOf(absl::string_view message) {
  JsonFault fault = Understood(message);
  fault.field = Printable(fault.field);
  return fault;
}

}  // namespace priorityd::gateway
