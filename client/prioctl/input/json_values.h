// Finds in JSON what Protobuf's parser takes and loses: a field given twice, of which it keeps the
// last, and null as a value in a map or a list, of which it makes 0.
#ifndef PRIORITYD_CLIENT_PRIOCTL_INPUT_JSON_VALUES_H_
#define PRIORITYD_CLIENT_PRIOCTL_INPUT_JSON_VALUES_H_

#include <google/protobuf/descriptor.h>

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace priorityd::prioctl {

// `tres["cpu"]: got null, want a number`, `source: got it twice, want it once`: the first in
// `json`, read as a message of `type`; empty = none; unset = a syntax error comes first. null for a
// field of a message stands for its absence.
std::optional<std::string> LostValue(absl::string_view json,
                                     const google::protobuf::Descriptor& type);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_INPUT_JSON_VALUES_H_
