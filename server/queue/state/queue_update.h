// One change of the tracked queue, worked out before it is stored.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_QUEUE_UPDATE_H_
#define PRIORITYD_SERVER_QUEUE_STATE_QUEUE_UPDATE_H_

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/queue/state/dependency.h"
#include "server/queue/state/job_rights.h"
#include "server/queue/state/submit_limits.h"
#include "server/queue/state/tracked_job.h"
#include "server/queue/state/tracked_queue.h"

namespace priorityd::queue {

enum class UpdateOutcome { kUpserted, kUnchanged, kRemoved, kRefused, kInvalid };

// What became of one job of the request.
struct UpdateResult {
  UpdateOutcome outcome = UpdateOutcome::kUnchanged;
  // Slurm's word for kRefused (MaxJobCount: the queue is full), `AccessDenied` where the caller may
  // not, `OtherSource` where the job is another source's; `InvalidJob` for kInvalid.
  std::string reason;
  std::string field;    // Of the job, for kInvalid and AccessDenied.
  std::string message;  // For kRefused and kInvalid.
};

// How many jobs may be tracked, those included that ended and are still kept.
struct QueueBounds {
  size_t cluster_jobs = 2'000'000;
  size_t all_jobs = 5'000'000;  // Of all clusters together.
};

// What a queue may grow to.
struct QueueRoom {
  QueueBounds bounds;
  size_t other_jobs = 0;  // Of other clusters.
};

// Takes a request job by job and says what it changes: of the jobs named, and of
// those that depend on them. Removals come first, so that they make room under
// the submit limits. The queue does not change meanwhile; it and all texts given
// must outlive this. Thread-compatible.
class QueueUpdate {
 public:
  // `now`: when jobs begin and cease to accrue. `rights`: of who asks.
  QueueUpdate(const TrackedQueue& queue, absl::Time now, const QueueRoom& room = {},
              JobRights rights = {});

  // Each returns the index of its result. A job that has not ended and has a source is changed and
  // removed by that source, by a request without source, and by users with rights of their own; it
  // stays that source's.
  size_t Remove(absl::string_view job_id, absl::string_view source = "");
  size_t Upsert(const TrackedJob& job);

  // Removes what `source` once sent and `named` does not hold; returns how many.
  size_t RemoveOthersOf(absl::string_view source,
                        const absl::flat_hash_set<absl::string_view>& named);

  // Forgets jobs that ended long ago and that no job waits for.
  void ForgetEnded();

  // Call once, last. In the order in which they happen.
  std::vector<JobChange> Finish();

  // REQUIRES: Finish was called.
  const std::vector<UpdateResult>& results() const { return results_; }

 private:
  static constexpr size_t kNoResult = static_cast<size_t>(-1);

  struct Entry {
    std::string job_id;
    std::string before;             // Packed; empty = the job was not there.
    std::optional<TrackedJob> old;  // Points into `before`.
    TrackedJob job;                 // What it becomes.
    bool removed = false;
    size_t result = kNoResult;
  };

  // A new entry that changes nothing yet; null if there is one for the job.
  Entry* AddEntry(absl::string_view job_id);
  Entry* FindEntry(absl::string_view job_id);
  void RemoveEntry(Entry* entry);
  size_t AddResult(UpdateOutcome outcome);
  // What is exceeded by one more job, in a sentence; empty = nothing.
  std::string Overfull() const;
  // Whether a request of `source` may not touch the job; null = there is none.
  bool IsOfAnother(const TrackedJob* live, absl::string_view source) const;
  size_t AddDenied(const DeniedChange& denied);
  size_t AddTwice();
  size_t AddOtherSource(absl::string_view got, absl::string_view want);
  // Answers as if the job were not there.
  size_t RemoveNothing(absl::string_view job_id);
  // Empty = the job is not there, or charged to none.
  absl::string_view AccountCharged(const std::optional<TrackedJob>& job) const;
  size_t AddViolation(absl::string_view field, absl::string_view message);
  std::optional<TrackedJob> Find(absl::string_view job_id);
  // Jobs that wait for something that this update may have changed.
  TrackedQueue::JobIds Waiting();
  void ResolveDependency(absl::string_view job_id);
  bool Alone(const TrackedJob& job);
  bool IsWaitedFor(absl::string_view job_id);
  void FinishEntry(Entry& entry, std::vector<JobChange>* changes);

  const TrackedQueue& queue_;
  const absl::Time now_;
  const QueueRoom room_;
  const JobRights rights_;
  size_t jobs_;              // Those of the queue as it will be.
  const bool site_service_;  // Whether the policy has a PrioritySiteFactorPlugin.
  SubmitLimits limits_;
  std::deque<Entry> entries_;
  absl::flat_hash_map<absl::string_view, Entry*> by_id_;
  // Ids that dependencies of this update name.
  absl::flat_hash_set<std::string> waited_for_;
  // Entries by name of their job, for singleton.
  absl::flat_hash_map<std::string, std::vector<std::string>> named_;
  std::vector<UpdateResult> results_;
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_QUEUE_UPDATE_H_
