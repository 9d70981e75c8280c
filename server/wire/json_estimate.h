// What the text of a JSON will take while a message is made of it.
#ifndef PRIORITYD_SERVER_WIRE_JSON_ESTIMATE_H_
#define PRIORITYD_SERVER_WIRE_JSON_ESTIMATE_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace priorityd::wire {

// At least what protobuf 3.21 takes while it writes the wire format of this JSON, that included;
// from the objects, elements and names that there are. Allocates nothing, and takes any text.
size_t EstimateJson(absl::string_view text);

}  // namespace priorityd::wire

#endif  // PRIORITYD_SERVER_WIRE_JSON_ESTIMATE_H_
