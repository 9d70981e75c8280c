// A queue in a file.
#ifndef PRIORITYD_CLIENT_PRIOCTL_INPUT_JOBS_FILE_H_
#define PRIORITYD_CLIENT_PRIOCTL_INPUT_JOBS_FILE_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "priority/v1/ranking.pb.h"

namespace priorityd::prioctl {

// Reads JSON Lines of Job; `-` = standard input. Errors as in JsonLinesReader.
absl::StatusOr<::priority::v1::InlineJobs> ReadJobs(const std::string& path);

// Has the request be about the jobs of a file, or about the tracked queue where `path` is empty.
template <typename Request>
absl::Status SetQueue(const std::string& path, Request* request) {
  if (path.empty()) {
    request->mutable_tracked();
    return absl::OkStatus();
  }
  absl::StatusOr<::priority::v1::InlineJobs> jobs = ReadJobs(path);
  if (!jobs.ok()) return jobs.status();
  *request->mutable_jobs() = *std::move(jobs);
  return absl::OkStatus();
}

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_INPUT_JOBS_FILE_H_
