// Proto JSON of JSON as users write it.
#ifndef PRIORITYD_CLIENT_PRIOCTL_INPUT_PROTO_JSON_H_
#define PRIORITYD_CLIENT_PRIOCTL_INPUT_PROTO_JSON_H_

#include <google/protobuf/message.h>

#include <string>

#include "absl/strings/string_view.h"

namespace priorityd::prioctl {

// Converts, in fields of `type`, whole numbers to text where it is expected (`"jobId": 7`), and
// values of an enum as tables print them (`"state": "RUNNING"`) to full names (JOB_STATE_RUNNING).
// Returns a text that is no JSON object unchanged.
std::string ToProtoJson(absl::string_view json, const google::protobuf::Message& type);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_INPUT_PROTO_JSON_H_
