#include "server/queue/replication/queue_request.h"

#include "absl/container/flat_hash_set.h"

namespace priorityd::queue {

std::vector<JobChange> ComputeChanges(const TrackedQueue& jobs, const QueueRequest& request,
                                      absl::Time now, const QueueRoom& room, bool forget_ended,
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
  std::vector<JobChange> changes = update.Finish();
  const auto& results = update.results();
  const auto middle = results.begin() + static_cast<int64_t>(request.removals.size());
  answer->removals.assign(results.begin(), middle);
  answer->upserts.assign(middle, results.end());
  return changes;
}

}  // namespace priorityd::queue
