// Messages as JSON, and as query parameters.
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

// Parameters of one query.
inline constexpr int kMaxParameters = 1000;

// The JSON of protocol buffers: lowerCamelCase, 64-bit numbers as texts, fields that are 0 or empty
// told too. On one line.
std::string ToJson(const google::protobuf::Message& message);

// Names in lowerCamelCase or as the proto has them. INVALID_ARGUMENT (MALFORMED_JSON) with the line
// and column where it is no JSON, else (INVALID_JSON_FIELD) with the field.
absl::Status FromJson(absl::string_view json, google::protobuf::Message* message);

// The same, but as bytes of a message of this type: nothing is built of it.
absl::StatusOr<std::string> BytesFromJson(absl::string_view json,
                                          const google::protobuf::Descriptor& type);

// `a=1&b=x%20y`: names and values, decoded, in their order. INVALID_ARGUMENT for more than
// kMaxParameters.
absl::StatusOr<std::vector<std::pair<std::string, std::string>>> QueryParameters(
    absl::string_view query);

// `%20` decoded; a `+` stays one.
std::string PercentDecoded(absl::string_view text);

// `cluster=c&users=amy&users=ben&start_time=2026-01-05T00:00:00Z`: fields by name, those of a
// message in it by a path with dots; more than once for a list. INVALID_ARGUMENT names the
// parameter.
absl::Status FromQuery(absl::string_view query, google::protobuf::Message* message);

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_TRANSCODING_H_
