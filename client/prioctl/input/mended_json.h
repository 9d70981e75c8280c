// JSON as people write it, made proto JSON.
#ifndef PRIORITYD_CLIENT_PRIOCTL_INPUT_MENDED_JSON_H_
#define PRIORITYD_CLIENT_PRIOCTL_INPUT_MENDED_JSON_H_

#include <google/protobuf/message.h>

#include <string>

#include "absl/strings/string_view.h"

namespace priorityd::prioctl {

// The object with whole numbers where `type` wants text made text (`"jobId": 7`), and values of
// an enum as tables print them (`"state": "RUNNING"`) made whole ones (JOB_STATE_RUNNING). What
// is no JSON object comes back as it is.
std::string MendJson(absl::string_view json, const google::protobuf::Message& type);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_INPUT_MENDED_JSON_H_
