// Converts an error of Protobuf's JSON parser to a message for the author of the JSON.
#ifndef PRIORITYD_SERVER_GATEWAY_JSON_FAULT_H_
#define PRIORITYD_SERVER_GATEWAY_JSON_FAULT_H_

#include <google/protobuf/descriptor.h>

#include <string>

#include "absl/strings/string_view.h"

namespace priorityd::gateway {

struct JsonFault {
  std::string field;  // The path, as `upserts[3].time_limit`; empty = the whole document.
  std::string what;   // `got X, want Y`.
};

// `message`: the status message of JsonStringToMessage in Protobuf 3.21; unknown parts are passed
// on unchanged. Both texts are printable ASCII and bounded.
JsonFault JsonFaultOf(absl::string_view message);

// The form of one value of the field: `a number`.
std::string WantedBy(const google::protobuf::FieldDescriptor& field);

// The first 400 bytes, with a space for each byte that is not printable ASCII.
std::string Printable(absl::string_view text);

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_JSON_FAULT_H_
