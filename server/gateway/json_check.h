// Checks JSON before Protobuf 3.21 converts it, whose parser takes more than JSON: single quotes,
// names without quotes, trailing commas, the last of the values of a field, and null for 0 in a
// map.
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

// Whether this is JSON with each field and each key of a map once, and without null, which stands
// for an absent field only, as a value in a map or a list. INVALID_ARGUMENT (MALFORMED_JSON) with
// line and column, or (INVALID_JSON_FIELD) with the path of the field. Does not check that fields
// exist, nor that values fit, but for an object or a list in place of a number or a text within a
// map or a list.
absl::Status CheckJson(absl::string_view json, const google::protobuf::Descriptor& type);

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_JSON_CHECK_H_
