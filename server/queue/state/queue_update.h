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
#include "server/queue/state/accrual.h"
#include "server/queue/state/dependency.h"
#include "server/queue/state/job_fields.h"
#include "server/queue/state/job_rights.h"
#include "server/queue/state/queue_room.h"
#include "server/queue/state/submission.h"
#include "server/queue/state/submit_limits.h"
#include "server/queue/state/tracked_job.h"
#include "server/queue/state/tracked_queue.h"
#include "server/queue/state/update_results.h"

namespace priorityd::queue {

// How the jobs of a request came to be in it.
struct Intake {
  // They are in another queue already, which took them: neither a limit nor a partition refuses
  // them here, and what they may not do they wait for.
  bool mirrored = false;
  // By id, those that the configuration that the next snapshot is computed from may take, though
  // this one's does not: they are refused by no configuration, and wait.
  absl::flat_hash_set<absl::string_view> admitted;
};

// Takes a request job by job and says what it changes: of the jobs named, and of
// those that depend on them. Removals come first, so that they make room under
// the submit limits. The queue does not change meanwhile; it and all texts given
// must outlive this. Thread-compatible.
class QueueUpdate {
 public:
  // `now`: when jobs begin and cease to accrue. `rights`: of who asks.
  QueueUpdate(const TrackedQueue& queue, absl::Time now, const QueueRoom& room = {},
              JobRights rights = {}, Intake intake = {});

  // Each returns the index of its result. A job that has not ended and has a source is changed and
  // removed by that source, by a request without source, and by users with rights of their own; it
  // stays that source's.
  size_t Remove(absl::string_view job_id, absl::string_view source = "");
  size_t Upsert(const TrackedJob& job);
  // Sets these fields of a job as `told` has them; all else stays, also its source.
  size_t Change(const TrackedJob& told, const JobFields& fields);

  // Removes what `source` once sent and `named` does not hold; returns how many.
  size_t RemoveOthersOf(absl::string_view source,
                        const absl::flat_hash_set<absl::string_view>& named);

  // Forgets jobs that ended long ago and that no job waits for.
  void ForgetEnded();

  // Call once, last. In the order in which they happen.
  std::vector<JobChange> Finish();

  // REQUIRES: Finish was called.
  const std::vector<UpdateResult>& results() const { return results_.all(); }

 private:
  static constexpr size_t kNoResult = static_cast<size_t>(-1);

  class Seen;

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
  // Answers as if the job were not there.
  size_t RemoveNothing(absl::string_view job_id) {
    const bool is_first = AddEntry(job_id) != nullptr;
    return is_first ? results_.Add(UpdateOutcome::kUnchanged) : results_.AddTwice();
  }
  // Empty = the job is not there, or charged to none.
  absl::string_view AccountCharged(const std::optional<TrackedJob>& job) const;
  // Whether the caller may know that the job is there.
  bool MayKnow(const TrackedJob& job) const;
  // Why the job cannot be what it is wanted to be: the index of that result; nullopt if it can.
  std::optional<size_t> Refuse(const std::optional<TrackedJob>& old, const TrackedJob& wanted);
  // Why it may not be submitted so, by limits and by its partitions. Jobs that run never are
  // refused.
  std::optional<Refusal> RefuseSubmission(const TrackedJob& wanted, const TrackedJob* live);
  // Has the job become `wanted`, which nothing refuses, if limits allow it.
  size_t Take(const TrackedJob& wanted);
  // For the jobs after it in this update.
  void Note(const Entry& entry, const TrackedJob& wanted);
  size_t AddNotFound(absl::string_view job_id);
  std::optional<TrackedJob> Find(absl::string_view job_id);
  // Tasks that were split off an array, as they will be, also those that ended.
  std::vector<TrackedJob> TasksOf(absl::string_view array_job_id);
  // Sets what the queue works out for a job itself, of those that were upserted.
  void FillWhatIsKept(Entry& entry);
  // Arrays of which a task limit may act otherwise than before.
  TrackedQueue::JobIds LimitedArrays();
  void LimitArray(const std::string& array_job_id);
  // Jobs that wait for something that this update may have changed.
  TrackedQueue::JobIds Waiting();
  void ResolveDependency(absl::string_view job_id);
  bool Alone(const TrackedJob& job);
  bool IsWaitedFor(const TrackedJob& job);
  void FinishEntry(Entry& entry, std::vector<JobChange>* changes);

  const TrackedQueue& queue_;
  const absl::Time now_;
  const QueueRoom room_;
  const JobRights rights_;
  const Intake intake_;
  TrackedCounts jobs_;       // Those of the queue as it will be.
  const bool site_service_;  // Whether the policy has a PrioritySiteFactorPlugin.
  SubmitLimits limits_;
  Accruals accruals_;
  Submission submission_;
  std::deque<Entry> entries_;
  absl::flat_hash_map<absl::string_view, Entry*> by_id_;
  // Ids that dependencies of this update name.
  absl::flat_hash_set<std::string> waited_for_;
  // Entries by name of their job, for singleton.
  absl::flat_hash_map<std::string, std::vector<std::string>> named_;
  // Entries by the array that their job is of.
  absl::flat_hash_map<std::string, std::vector<std::string>> tasks_;
  UpdateResults results_;
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_QUEUE_UPDATE_H_
