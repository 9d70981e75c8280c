#include "tests/fuzz/message_mutator.h"

#include <google/protobuf/descriptor.h>

#include <cstdint>
#include <iterator>
#include <limits>
#include <string>

namespace priorityd {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

size_t Below(size_t bound, std::mt19937& random) { return bound == 0 ? 0 : random() % bound; }

template <typename T, size_t kSize>
T OneOf(const T (&values)[kSize], std::mt19937& random) {
  return values[random() % kSize];
}

int64_t AnyInteger(std::mt19937& random) {
  static constexpr int64_t kEdges[] = {0,
                                       1,
                                       -1,
                                       255,
                                       256,
                                       999'999'999,
                                       1'000'000'000,
                                       INT32_MAX,
                                       INT32_MIN,
                                       UINT32_MAX,
                                       INT64_MAX,
                                       INT64_MIN,
                                       1'700'000'000,
                                       253'402'300'800,
                                       -62'135'596'801};
  return random() % 3 == 0 ? static_cast<int32_t>(random()) : OneOf(kEdges, random);
}

double AnyDouble(std::mt19937& random) {
  using Limits = std::numeric_limits<double>;
  static const double kEdges[] = {
      0,     -0.0, 1,      -1,   Limits::infinity(),  -Limits::infinity(),
      1e308, 1e19, 5e-324, 1e-9, Limits::quiet_NaN(), 0.1};
  return OneOf(kEdges, random);
}

std::string AnyText(std::mt19937& random) {
  static const char* const kWords[] = {
      "", "a1", "u1", "normal", "c", "cpu", "gres/gpu:a", "mem", "1", "1_[1-3]", "p1", "afterok:1",
      "%", "\n", "\x01", "é", "a b", "[1-1000000000]", ",",
      // Of the small sites of request_conversions.cc.
      "root", "physics", "organic", "ann", "cat", "main", "high", "Fairshare", "Parent", "QosLevel",
      "DefaultAccount", "GrpTRES", "Flags", "cpu=4", "-1", "n[1-4]"};
  // About the bounds of engine/errors/bounds.h.
  static constexpr size_t kLengths[] = {1, 255, 256, 1024, 1025, 65'536, 65'537};
  std::string text = OneOf(kWords, random);
  if (random() % 4 == 0) text += OneOf(kWords, random);
  if (random() % 8 == 0 && !text.empty()) {
    const size_t length = OneOf(kLengths, random);
    while (text.size() < length) text += text;
    text.resize(length);
    if (text.back() == '\xC3') text.back() = ' ';  // Half an "é".
  }
  return text;
}

int AnyEnum(const FieldDescriptor* field, std::mt19937& random) {
  if (random() % 5 == 0) return 1000;  // Of a newer client.
  const auto* type = field->enum_type();
  return type->value(static_cast<int>(Below(type->value_count(), random)))->number();
}

// Sets a field that is one value, or adds an element to one that is several.
void Put(Message* message, const FieldDescriptor* field, std::mt19937& random) {
  const Reflection* r = message->GetReflection();
  const bool add = field->is_repeated();
  switch (field->cpp_type()) {
#define PUT(KIND, NAME, VALUE)                                                       \
  case FieldDescriptor::CPPTYPE_##KIND:                                              \
    add ? r->Add##NAME(message, field, VALUE) : r->Set##NAME(message, field, VALUE); \
    break;
    PUT(INT32, Int32, static_cast<int32_t>(AnyInteger(random)))
    PUT(INT64, Int64, AnyInteger(random))
    PUT(UINT32, UInt32, static_cast<uint32_t>(AnyInteger(random)))
    PUT(UINT64, UInt64, static_cast<uint64_t>(AnyInteger(random)))
    PUT(DOUBLE, Double, AnyDouble(random))
    PUT(FLOAT, Float, static_cast<float>(AnyDouble(random)))
    PUT(BOOL, Bool, random() % 2 == 0)
    PUT(ENUM, EnumValue, AnyEnum(field, random))
    PUT(STRING, String, AnyText(random))
#undef PUT
    case FieldDescriptor::CPPTYPE_MESSAGE: {
      Message* inner = add ? r->AddMessage(message, field) : r->MutableMessage(message, field);
      for (int changes = inner->GetDescriptor()->field_count(); changes > 0; --changes) {
        if (random() % 2 == 0) MutateMessage(inner, random);
      }
    }
  }
}

void ChangeElements(Message* message, const FieldDescriptor* field, std::mt19937& random) {
  const Reflection* r = message->GetReflection();
  const int size = r->FieldSize(*message, field);
  const int at = static_cast<int>(Below(size, random));
  switch (size == 0 ? 0 : random() % 4) {
    case 0:
      return Put(message, field, random);
    case 1:
      return r->RemoveLast(message, field);
    case 2:
      return r->SwapElements(message, field, at, size - 1);
    default:
      if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) return Put(message, field, random);
      if (random() % 3 > 0)
        return MutateMessage(r->MutableRepeatedMessage(message, field, at), random);
      // Before it is added: that may move it.
      const Message& original = r->GetRepeatedMessage(*message, field, at);
      Message* copy = original.New();
      copy->CopyFrom(original);
      r->AddAllocatedMessage(message, field, copy);
  }
}

}  // namespace

void MutateMessage(Message* message, std::mt19937& random) {
  const auto* type = message->GetDescriptor();
  if (type->field_count() == 0) return;
  const FieldDescriptor* field = type->field(static_cast<int>(Below(type->field_count(), random)));
  const Reflection* r = message->GetReflection();
  if (field->is_repeated()) return ChangeElements(message, field, random);
  const bool is_message = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
  if (random() % 10 == 0) return r->ClearField(message, field);
  if (is_message && r->HasField(*message, field)) {
    return MutateMessage(r->MutableMessage(message, field), random);
  }
  Put(message, field, random);
}

}  // namespace priorityd
