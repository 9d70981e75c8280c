#include "client/prioctl/jobs/applied_names.h"

namespace priorityd::jobs {

void ShowApplied(::priority::v1::ListJobsResponse* jobs) {
  for (::priority::v1::TrackedJob& tracked : *jobs->mutable_jobs()) {
    ::priority::v1::Job& job = *tracked.mutable_job();
    if (!tracked.account().empty()) job.set_account(tracked.account());
    if (!tracked.partitions().empty()) *job.mutable_partitions() = tracked.partitions();
    if (!tracked.qos().empty()) *job.mutable_qos() = tracked.qos();
    if (tracked.has_time_limit()) *job.mutable_time_limit() = tracked.time_limit();
  }
}

}  // namespace priorityd::jobs
