#include "client/prioctl/input/proto_json.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "engine/json/fault.h"
#include "engine/numbers/whole_number.h"

namespace priorityd::prioctl {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Struct;
using google::protobuf::Value;

// Doubles hold all whole numbers up to here.
constexpr double kLargestWhole = 9007199254740992;

// The prefix of the names of the values: `JOB_STATE_`, as that of 0 is `..._UNSPECIFIED`.
std::string Prefix(const EnumDescriptor& type) {
  constexpr absl::string_view kZero = "UNSPECIFIED";
  const std::string& zero = type.value(0)->name();
  const size_t at = zero.rfind(kZero.data());
  return at == std::string::npos ? "" : zero.substr(0, at);
}

void CorrectEnum(const EnumDescriptor& type, Value* value) {
  if (!value->has_string_value() || type.FindValueByName(value->string_value()) != nullptr) return;
  const std::string name = absl::StrCat(Prefix(type), absl::AsciiStrToUpper(value->string_value()));
  if (type.FindValueByName(name) != nullptr) value->set_string_value(name);
}

void CorrectText(Value* value) {
  if (!value->has_number_value()) return;
  const double number = value->number_value();
  if (std::floor(number) != number || std::abs(number) > kLargestWhole) return;
  value->set_string_value(absl::StrCat(numbers::WholePart(number)));
}

void CorrectObject(const Descriptor& type, Struct* object);

// One value of the field: of its list, if it is one.
void CorrectValue(const FieldDescriptor& field, Value* value) {
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
    CorrectText(value);
  } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
    CorrectEnum(*field.enum_type(), value);
  } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && value->has_struct_value()) {
    CorrectObject(*field.message_type(), value->mutable_struct_value());
  }
}

void CorrectObject(const Descriptor& type, Struct* object) {
  for (auto& [name, value] : *object->mutable_fields()) {
    const FieldDescriptor* field = json::FindField(type, name);
    if (field == nullptr || field->is_map()) continue;
    if (!field->is_repeated()) {
      CorrectValue(*field, &value);
    } else if (value.has_list_value()) {
      for (Value& item : *value.mutable_list_value()->mutable_values()) CorrectValue(*field, &item);
    }
  }
}

}  // namespace

std::string ToProtoJson(absl::string_view json, const google::protobuf::Message& type) {
  Struct object;
  std::string given(json);
  const auto parsed = google::protobuf::util::JsonStringToMessage(given, &object);
  if (!parsed.ok()) return given;
  CorrectObject(*type.GetDescriptor(), &object);
  std::string text;
  return google::protobuf::util::MessageToJsonString(object, &text).ok() ? text : given;
}

}  // namespace priorityd::prioctl
