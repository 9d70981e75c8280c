// The part of a JSON text that does not fit a message, and the expected value.
#ifndef PRIORITYD_CLIENT_PRIOCTL_INPUT_JSON_VIOLATION_H_
#define PRIORITYD_CLIENT_PRIOCTL_INPUT_JSON_VIOLATION_H_

#include <string>

#include "absl/strings/string_view.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"

namespace priorityd::prioctl {

// `tres["cpu"]: got "a", want a number`, `unknown field "foo"`, `not JSON: ...`: the
// first violation, unknown fields first, the others in the order of the message's
// fields. REQUIRES: protobuf cannot parse `json` as proto JSON of `message`'s type.
std::string JsonViolation(absl::string_view json, const google::protobuf::Message& message);

// The kind of one value of the field: `a number`.
std::string WantedValue(const google::protobuf::FieldDescriptor& field);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_INPUT_JSON_VIOLATION_H_
