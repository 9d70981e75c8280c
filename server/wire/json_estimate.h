// Estimates the memory for converting a JSON text to a message.
#ifndef PRIORITYD_SERVER_WIRE_JSON_ESTIMATE_H_
#define PRIORITYD_SERVER_WIRE_JSON_ESTIMATE_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace priorityd::wire {

// An upper bound of protobuf 3.21's memory while it converts this JSON to the wire format,
// including the result; computed from the numbers of objects, elements and names. Allocates nothing
// and accepts any text.
size_t EstimateJson(absl::string_view text);

}  // namespace priorityd::wire

#endif  // PRIORITYD_SERVER_WIRE_JSON_ESTIMATE_H_
