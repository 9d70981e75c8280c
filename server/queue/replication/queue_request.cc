#include "server/queue/replication/queue_request.h"

#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "engine/priority/jobs/job.h"
#include "server/queue/state/packed_job.h"
#include "server/threads/work_scope.h"

namespace priorityd::queue {
namespace {

// The start time of a running job, and its time limit; nullopt = it does not run.
using RunTimes = std::pair<std::optional<absl::Time>, std::optional<absl::Duration>>;
std::optional<RunTimes> RunTimesOf(const std::optional<TrackedJob>& job) {
  if (!job.has_value() || job->ended() || job->job.state == priority::JobState::kPending) {
    return std::nullopt;
  }
  return RunTimes(job->job.start_time, job->job.time_limit);
}

bool ChangesRuns(const TrackedQueue& jobs, const JobChange& change) {
  std::optional<TrackedJob> after;
  if (!change.packed.empty()) after = UnpackJob(change.packed);
  return RunTimesOf(jobs.Find(change.job_id)) != RunTimesOf(after);
}

}  // namespace

absl::StatusOr<std::vector<JobChange>> ComputeChanges(const TrackedQueue& jobs,
                                                      const QueueRequest& request, absl::Time now,
                                                      const QueueRoom& room, bool forget_ended,
                                                      QueueAnswer* answer) {
  if (!request.put_first.empty()) {
    return PutFirst(jobs, request.put_first, request.rights, now, &answer->put_first);
  }
  QueueUpdate update(jobs, now, room, request.rights, {request.full_sync, request.admitted});
  answer->removed_by_sync = 0;
  for (const absl::string_view job_id : request.removals) update.Remove(job_id, request.source);
  if (request.full_sync) {
    absl::flat_hash_set<absl::string_view> named;
    for (const TrackedJob& job : request.upserts) named.insert(job.job.job_id);
    answer->removed_by_sync = static_cast<uint32_t>(update.RemoveOthersOf(request.source, named));
  }
  for (const TrackedJob& job : request.upserts) {
    request.fields.empty() ? update.Upsert(job) : update.Change(job, request.fields);
  }
  if (forget_ended) update.ForgetEnded();
  absl::StatusOr<std::vector<JobChange>> changes = update.Finish(threads::WorkScope::CheckCurrent);
  if (!changes.ok()) return changes.status();
  answer->runs_changed = jobs.state()->snapshot().policy().charge_at_start > 0 &&
                         absl::c_any_of(*changes, [&jobs](const JobChange& change) {
                           return ChangesRuns(jobs, change);
                         });
  const auto& results = update.results();
  const auto middle = results.begin() + static_cast<int64_t>(request.removals.size());
  answer->removals.assign(results.begin(), middle);
  answer->upserts.assign(middle, results.end());
  if (request.checks_only) return std::vector<JobChange>();
  return changes;
}

}  // namespace priorityd::queue
