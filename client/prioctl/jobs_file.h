// A queue in a file.
#ifndef PRIORITYD_CLIENT_PRIOCTL_JOBS_FILE_H_
#define PRIORITYD_CLIENT_PRIOCTL_JOBS_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "priority/v1/ranking.pb.h"

namespace priorityd::prioctl {

// Reads JSON Lines of Job; `-` = standard input. Errors as in JsonLinesReader.
absl::StatusOr<::priority::v1::InlineJobs> ReadJobs(const std::string& path);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_JOBS_FILE_H_
