#include "client/prioctl/input/json_violation.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/json/fault.h"

namespace priorityd::prioctl {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Struct;
using google::protobuf::Value;

// The values of an enum that say something.
std::string EnumValues(const google::protobuf::EnumDescriptor& type) {
  std::vector<std::string> names;
  for (int i = 0; i < type.value_count(); ++i) {
    if (type.value(i)->number() != 0) names.push_back(type.value(i)->name());
  }
  return absl::StrCat("one of ", absl::StrJoin(names, ", "));
}

std::string WantedMessage(const Descriptor& type) {
  if (type.full_name() == "google.protobuf.Timestamp") {
    return "a time such as \"2026-11-20T13:07:11Z\"";
  }
  if (type.full_name() == "google.protobuf.Duration") return "a duration such as \"3600s\"";
  return "a JSON object";
}

std::string JsonOf(const Message& message) {
  std::string json;
  return google::protobuf::util::MessageToJsonString(message, &json).ok() ? json : "";
}

// Asks protobuf whether parts of a text fit, one by one, and so finds the one that does
// not.
class Search {
 public:
  // The first violation of an object; nullopt = each field fits by itself.
  std::optional<std::string> InObject(const Struct& object, const Message& type,
                                      const std::string& place) const {
    std::vector<std::pair<const FieldDescriptor*, std::string>> fields;
    for (const auto& [name, value] : object.fields()) {
      fields.emplace_back(json::FindField(*type.GetDescriptor(), name), name);
    }
    std::sort(fields.begin(), fields.end(), [](const auto& a, const auto& b) {
      const int number_a = a.first == nullptr ? 0 : a.first->number();
      const int number_b = b.first == nullptr ? 0 : b.first->number();
      return std::tie(number_a, a.second) < std::tie(number_b, b.second);
    });
    for (const auto& [field, name] : fields) {
      if (field == nullptr) {
        return absl::StrCat(place, place.empty() ? "" : ": ", "unknown field \"", name, "\"");
      }
      const std::string at = place.empty() ? name : absl::StrCat(place, ".", name);
      if (auto found = InField({type, *field, name}, object.fields().at(name), at)) return found;
    }
    return std::nullopt;
  }

 private:
  struct Field {
    const Message& type;
    const FieldDescriptor& descriptor;
    const std::string& name;
  };

  // Whether the field of this value alone makes a message.
  static bool Fits(const Field& field, const Value& value) {
    Struct alone;
    (*alone.mutable_fields())[field.name] = value;
    const std::unique_ptr<Message> parsed(field.type.New());
    return google::protobuf::util::JsonStringToMessage(JsonOf(alone), parsed.get()).ok();
  }

  std::optional<std::string> InField(const Field& field, const Value& value,
                                     const std::string& place) const {
    if (Fits(field, value)) return std::nullopt;
    if (field.descriptor.is_map() && value.has_struct_value()) return InMap(field, value, place);
    if (!field.descriptor.is_repeated()) return InValue(field.descriptor, value, place);
    if (value.has_list_value()) return InList(field, value, place);
    return Got(value, field.descriptor.is_map() ? "a JSON object" : "a list", place);
  }

  std::optional<std::string> InMap(const Field& field, const Value& map,
                                   const std::string& place) const {
    const Descriptor& entry = *field.descriptor.message_type();
    std::vector<std::string> keys;
    for (const auto& [key, value] : map.struct_value().fields()) keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    for (const std::string& key : keys) {
      const Value& value = map.struct_value().fields().at(key);
      Value alone;
      (*alone.mutable_struct_value()->mutable_fields())[key] = value;
      if (Fits(field, alone)) continue;
      return InValue(*entry.FindFieldByNumber(2), value, absl::StrCat(place, "[\"", key, "\"]"));
    }
    return std::nullopt;
  }

  std::optional<std::string> InList(const Field& field, const Value& list,
                                    const std::string& place) const {
    for (int i = 0; i < list.list_value().values_size(); ++i) {
      const Value& value = list.list_value().values(i);
      Value alone;
      *alone.mutable_list_value()->add_values() = value;
      if (Fits(field, alone)) continue;
      return InValue(field.descriptor, value, absl::StrCat(place, "[", i, "]"));
    }
    return std::nullopt;
  }

  // Of one value that does not fit: of its field, its element or its entry.
  std::optional<std::string> InValue(const FieldDescriptor& field, const Value& value,
                                     const std::string& place) const {
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && value.has_struct_value()) {
      const Message* type =
          google::protobuf::MessageFactory::generated_factory()->GetPrototype(field.message_type());
      if (auto found = InObject(value.struct_value(), *type, place)) return found;
    }
    return Got(value, WantedValue(field), place);
  }

  static std::string Got(const Value& value, absl::string_view wanted, const std::string& place) {
    return absl::StrCat(place, ": got ", JsonOf(value), ", want ", wanted);
  }
};

}  // namespace

std::string WantedValue(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32:
      return "a whole number from 0 to 4294967295";
    case FieldDescriptor::CPPTYPE_UINT64:
      return "a whole number from 0 to 18446744073709551615";
    case FieldDescriptor::CPPTYPE_INT32:
      return "a whole number from -2147483648 to 2147483647";
    case FieldDescriptor::CPPTYPE_INT64:
      return "a whole number";
    case FieldDescriptor::CPPTYPE_DOUBLE:
    case FieldDescriptor::CPPTYPE_FLOAT:
      return "a number";
    case FieldDescriptor::CPPTYPE_BOOL:
      return "true or false";
    case FieldDescriptor::CPPTYPE_STRING:
      return "a string";
    case FieldDescriptor::CPPTYPE_ENUM:
      return EnumValues(*field.enum_type());
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return WantedMessage(*field.message_type());
  }
  return "a value";
}

std::string JsonViolation(absl::string_view json, const Message& message) {
  Value value;
  const auto parsed =
      google::protobuf::util::JsonStringToMessage({json.data(), json.size()}, &value);
  if (!parsed.ok()) {
    const std::string why(parsed.message());
    return absl::StrCat("not JSON: ", why.substr(0, why.find('\n')));
  }
  if (!value.has_struct_value()) return "want one JSON object per line";
  if (auto found = Search().InObject(value.struct_value(), message, "")) return *found;
  return absl::StrCat("got an object that is no ", message.GetDescriptor()->name(),
                      ", want each field once and one field of each oneof");
}

}  // namespace priorityd::prioctl
