#include "server/queue/replication/ended_runs.h"

#include <optional>
#include <string>
#include <utility>

#include "engine/priority/jobs/job_demand.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/queue/replication/job_rows.h"
#include "server/queue/state/packed_job.h"

namespace priorityd::queue {
namespace {

template <typename Names>
std::string First(const Names& names) {
  return names.empty() ? std::string() : std::string(names.front());
}

// Times that a late report contradicts are left out: the queue took a job that was not submitted
// before as submitted when it heard of it.
storage::JobAccounting AccountingOf(const TrackedJob& tracked) {
  const priority::Job& job = tracked.job;
  storage::JobAccounting accounting;
  accounting.state = WordOf(tracked.end);
  if (tracked.exit_code.has_value()) {
    accounting.exit_code = static_cast<int32_t>(*tracked.exit_code);
    accounting.exit_signal = static_cast<int32_t>(tracked.exit_signal);
  }
  if (job.submit_time <= job.start_time) accounting.submit_time = job.submit_time;
  accounting.start_time = job.start_time;
  accounting.end_time = tracked.end_time;
  accounting.time_limit = job.time_limit;
  if (job.cpus > 0) accounting.req_cpus = job.cpus;
  if (!tracked.job.node_list.empty()) accounting.node_list = std::string(tracked.job.node_list);
  return accounting;
}

std::optional<usage::EndedRun> RunOf(const TrackedJob& tracked,
                                     const priority::Snapshot& snapshot) {
  const priority::Job& job = tracked.job;
  const bool ran = tracked.ended() && job.start_time.has_value() && tracked.end_time.has_value();
  if (!ran) return std::nullopt;
  usage::EndedRun run = {.source = std::string(tracked.source),
                         .job_id = std::string(job.job_id),
                         .user = std::string(job.user),
                         .account = std::string(job.account),
                         .partition = First(job.partitions),
                         .qos = First(job.qos),
                         .start_time = *job.start_time,
                         .end_time = *tracked.end_time,
                         .tres = {},
                         .billing = priority::GivenBilling(job),
                         .job = AccountingOf(tracked)};
  const int partition =
      run.partition.empty() ? snapshot.default_partition() : snapshot.FindPartition(run.partition);
  priority::FillTres(job, run.tres, snapshot.job_defaults(partition));
  return run;
}

}  // namespace

std::vector<usage::EndedRun> EndedRuns(const TrackedQueue& jobs,
                                       const std::vector<JobChange>& changes) {
  const priority::Snapshot& snapshot = jobs.state()->snapshot();
  std::vector<usage::EndedRun> runs;
  for (const JobChange& change : changes) {
    if (change.packed.empty()) continue;
    auto run = RunOf(UnpackJob(change.packed), snapshot);
    if (!run.has_value()) continue;
    const std::optional<TrackedJob> old = jobs.Find(change.job_id);
    if (old.has_value() && RunOf(*old, snapshot) == run) continue;
    runs.push_back(*std::move(run));
  }
  return runs;
}

}  // namespace priorityd::queue
