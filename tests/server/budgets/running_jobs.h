// Queues of running jobs.
#ifndef PRIORITYD_TESTS_SERVER_BUDGETS_RUNNING_JOBS_H_
#define PRIORITYD_TESTS_SERVER_BUDGETS_RUNNING_JOBS_H_

#include <memory>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "server/queue/state/job_chunk.h"
#include "server/queue/state/queue_state.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::budgets {

// In one chunk.
inline std::shared_ptr<const queue::QueueState> QueueOf(
    std::shared_ptr<const priority::Snapshot> snapshot,
    const std::vector<queue::TrackedJob>& jobs) {
  auto scale = std::make_shared<const queue::QueueScale>(std::move(snapshot));
  auto packed = std::make_shared<queue::PackedJobs>();
  for (const queue::TrackedJob& job : jobs) packed->Add(queue::PackJob(job));
  priority::JobTableBuilder builder(scale->factors, priority::kNow);
  std::vector<std::shared_ptr<const queue::JobChunk>> chunks = {
      std::make_shared<const queue::JobChunk>(packed, *scale, builder)};
  return std::make_shared<const queue::QueueState>(scale, chunks);
}

// Started 10 minutes before kNow, with a time limit of an hour. The texts must outlive the job.
inline queue::TrackedJob HourOf(const char* id, const char* user, const char* account, double cpus,
                                double gpus, const char* qos = "normal") {
  queue::TrackedJob tracked;
  priority::Job& job = tracked.job;
  job.job_id = id;
  job.user = user;
  job.account = account;
  job.qos = {qos};
  job.state = priority::JobState::kRunning;
  job.cpus = cpus;
  job.tres = {{"cpu", cpus}, {"gres/gpu", gpus}};
  job.submit_time = priority::kNow - absl::Hours(1);
  job.start_time = priority::kNow - absl::Minutes(10);
  job.time_limit = absl::Hours(1);
  return tracked;
}

}  // namespace priorityd::budgets

#endif  // PRIORITYD_TESTS_SERVER_BUDGETS_RUNNING_JOBS_H_
