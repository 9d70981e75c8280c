// Finds in JSON what Protobuf 3.21 accepts and loses, before Protobuf converts it: its parser keeps
// the last of the values of a field, reads null in a map or a list as 0, and a list in a list as
// one list. It also accepts text that is not JSON: single quotes, names without quotes, trailing
// commas.
#ifndef PRIORITYD_ENGINE_JSON_FAULT_H_
#define PRIORITYD_ENGINE_JSON_FAULT_H_

#include <google/protobuf/descriptor.h>

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace priorityd::json {

// By its name in lowerCamelCase or as in the proto; nullptr = the message has none.
const google::protobuf::FieldDescriptor* FindField(const google::protobuf::Descriptor& type,
                                                   const std::string& name);

// Maximum depth of objects and lists in each other; Protobuf's maximum too.
inline constexpr size_t kMaxDepth = 100;

// The words in which a program describes faults to its users.
struct Words {
  // The form of one value of the field: `a number`.
  std::string (*wanted)(const google::protobuf::FieldDescriptor& field) = nullptr;
  // Names fields as the proto does; otherwise as the text does.
  bool proto_names = false;
};

struct Fault {
  bool is_json = true;  // false = a syntax error.
  std::string path;     // `jobs[3].tres["cpu"]`, names escaped and cut; empty = the whole text.
  std::string what;     // `got null, want a number`; `line 3, column 14: want JSON`.
};

// The first fault of a message of `type`; nullopt = none. A fault is a syntax error, a field (in
// either spelling) or a key of a map that is given twice, a value of a map or a list that is null,
// a list, or an object in place of a number or a text, and more than kMaxDepth levels. null for a
// field of a message stands for its absence. Does not check that fields exist, nor that other
// values fit. REQUIRES: no field is a google.protobuf.Struct, Value or ListValue.
std::optional<Fault> FaultIn(absl::string_view json, const google::protobuf::Descriptor& type,
                             const Words& words);

}  // namespace priorityd::json

#endif  // PRIORITYD_ENGINE_JSON_FAULT_H_
