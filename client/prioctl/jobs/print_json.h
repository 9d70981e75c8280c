// `--json` of squeue and scontrol.
#ifndef PRIORITYD_CLIENT_PRIOCTL_JOBS_PRINT_JSON_H_
#define PRIORITYD_CLIENT_PRIOCTL_JOBS_PRINT_JSON_H_

#include <google/protobuf/message.h>

#include <ostream>

#include "absl/status/status.h"

namespace priorityd::jobs {

// One line, also with the numbers that are 0 and the texts that are empty.
absl::Status PrintJson(const google::protobuf::Message& message, std::ostream& out);

}  // namespace priorityd::jobs

#endif  // PRIORITYD_CLIENT_PRIOCTL_JOBS_PRINT_JSON_H_
