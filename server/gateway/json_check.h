// Checks JSON before Protobuf 3.21 converts it, whose parser takes more than JSON: single quotes,
// names without quotes, trailing commas, and the last of the values of a field.
#ifndef PRIORITYD_SERVER_GATEWAY_JSON_CHECK_H_
#define PRIORITYD_SERVER_GATEWAY_JSON_CHECK_H_

#include <google/protobuf/descriptor.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace priorityd::gateway {

// Maximum depth of objects and lists in each other; Protobuf's maximum too.
inline constexpr size_t kMaxJsonDepth = 100;

// By its name in lowerCamelCase or as in the proto; nullptr = the message has none.
const google::protobuf::FieldDescriptor* FindField(const google::protobuf::Descriptor& type,
                                                   const std::string& name);

// Whether this is JSON with each field and each key of a map once. INVALID_ARGUMENT
// (MALFORMED_JSON) with line and column, or (INVALID_JSON_FIELD) with the path of the field. Does
// not check that fields exist and values fit.
absl::Status CheckJson(absl::string_view json, const google::protobuf::Descriptor& type);

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_JSON_CHECK_H_
