// Converts messages to and from JSON, and from query parameters.
#ifndef PRIORITYD_SERVER_GATEWAY_TRANSCODING_H_
#define PRIORITYD_SERVER_GATEWAY_TRANSCODING_H_

#include <google/protobuf/message.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace priorityd::gateway {

// Maximum parameters of one query.
inline constexpr int kMaxParameters = 1000;

// The JSON of protocol buffers on one line: lowerCamelCase, 64-bit numbers as strings, including
// fields that are 0 or empty.
std::string ToJson(const google::protobuf::Message& message);

// An encoded message of this type. Accepts names in lowerCamelCase or as in the proto, each field
// once. INVALID_ARGUMENT (MALFORMED_JSON) with line and column of a syntax error, or
// (INVALID_JSON_FIELD) with the field.
absl::StatusOr<std::string> BytesFromJson(absl::string_view json,
                                          const google::protobuf::Descriptor& type);

// Decodes `a=1&b=x%20y` to names and values, in order. INVALID_ARGUMENT for more than
// kMaxParameters.
absl::StatusOr<std::vector<std::pair<std::string, std::string>>> QueryParameters(
    absl::string_view query);

// Decodes `%20`; a `+` stays unchanged.
std::string PercentDecoded(absl::string_view text);

// `cluster=c&users=amy&users=ben&start_time=2026-01-05T00:00:00Z`: fields by name, nested ones by a
// dotted path; repeated for a list. INVALID_ARGUMENT names the parameter.
absl::Status FromQuery(absl::string_view query, google::protobuf::Message* message);

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_TRANSCODING_H_
