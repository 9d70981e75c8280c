// What Protobuf's parser has against a JSON, in words for who wrote it.
#ifndef PRIORITYD_SERVER_GATEWAY_JSON_FAULT_H_
#define PRIORITYD_SERVER_GATEWAY_JSON_FAULT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace priorityd::gateway {

struct JsonFault {
  std::string field;  // Its path, as `upserts[3].time_limit`; empty = the whole.
  std::string what;   // What was got and what is wanted.
};

// `told` is the message of the status that JsonStringToMessage of Protobuf 3.21 returned; what is
// not understood of it is told as it is. Both texts are printable ASCII and bounded.
JsonFault JsonFaultOf(absl::string_view told);

// The first 400 bytes, with a space for each that is not printable ASCII.
std::string Printable(absl::string_view text);

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_JSON_FAULT_H_
