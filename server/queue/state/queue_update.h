// Computes one change of the tracked queue before it is stored.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_QUEUE_UPDATE_H_
#define PRIORITYD_SERVER_QUEUE_STATE_QUEUE_UPDATE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/queue/state/accrual.h"
#include "server/queue/state/dependency.h"
#include "server/queue/state/job_fields.h"
#include "server/queue/state/job_progress.h"
#include "server/queue/state/job_rights.h"
#include "server/queue/state/namesakes.h"
#include "server/queue/state/queue_room.h"
#include "server/queue/state/submission.h"
#include "server/queue/state/submit_limits.h"
#include "server/queue/state/tracked_job.h"
#include "server/queue/state/tracked_queue.h"
#include "server/queue/state/update_results.h"

namespace priorityd::queue {

// The origin of a request's jobs.
struct Intake {
  // They are mirrored from another queue, which has accepted them: limits and partitions do not
  // refuse them here, but keep them waiting.
  bool mirrored = false;
  // By id: jobs that the present snapshot's configuration refuses but the stored, newer one may
  // accept. No configuration refuses them; they wait.
  absl::flat_hash_set<absl::string_view> admitted;
};

// Takes a request job by job and computes the changes of the named jobs and of those that depend on
// them. Pass removals first, so that they make room under the submit limits. The queue must not
// change meanwhile; it and all texts passed must outlive this object. Thread-compatible.
class QueueUpdate {
 public:
  // `now`: when jobs start and stop accruing. `rights`: the caller's.
  QueueUpdate(const TrackedQueue& queue, absl::Time now, const QueueRoom& room = {},
              JobRights rights = {}, Intake intake = {});

  // Each returns the index of its result. A job with a source that has not ended can be changed and
  // removed by that source, by a request without source, and by users with rights on it; it keeps
  // its source.
  size_t Remove(absl::string_view job_id, absl::string_view source = "");
  size_t Upsert(const TrackedJob& job);
  // Sets these fields of a job from `change`; everything else stays, including the source.
  size_t Change(const TrackedJob& change, const JobFields& fields);

  // Removes the jobs of `source` that are not in `named`; returns their number.
  size_t RemoveOthersOf(absl::string_view source,
                        const absl::flat_hash_set<absl::string_view>& named);

  // Forgets jobs that ended an hour and MinJobAge ago, unless a job waits for them.
  void ForgetEnded();

  // Whether the changes are still needed; called before each job whose dependency is evaluated.
  using Check = absl::FunctionRef<absl::Status()>;
  // Call once, last. The changes are in order. The first error of `check`.
  absl::StatusOr<std::vector<JobChange>> Finish(Check check);
  std::vector<JobChange> Finish();

  // REQUIRES: Finish was called.
  const std::vector<UpdateResult>& results() const { return results_.all(); }

 private:
  static constexpr size_t kNoResult = static_cast<size_t>(-1);
  // The time for which a new dependency can name an ended job.
  static constexpr absl::Duration kEndedKept = absl::Hours(1);

  class Seen;

  struct Entry {
    std::string job_id;
    std::string before;             // Packed; empty = the job did not exist.
    std::optional<TrackedJob> old;  // Points into `before`.
    TrackedJob job;                 // The new job.
    Resolution resolution;          // Of its dependency; `job` can point into it.
    bool removed = false;
    size_t result = kNoResult;
  };

  // Adds an entry without changes; null if the job has one.
  Entry* AddEntry(absl::string_view job_id);
  Entry* FindEntry(absl::string_view job_id);
  void RemoveEntry(Entry* entry);
  // The result for a missing job.
  size_t RemoveNothing(absl::string_view job_id) {
    const bool is_first = AddEntry(job_id) != nullptr;
    return is_first ? results_.Add(UpdateOutcome::kUnchanged) : results_.AddTwice();
  }
  // Empty = the job is missing, or no account is charged.
  absl::string_view AccountCharged(const std::optional<TrackedJob>& job) const;
  // Whether the caller may know of the job.
  bool MayKnow(const TrackedJob& job) const;
  // The index of the result that refuses `wanted`; nullopt if it is valid.
  std::optional<size_t> Refuse(const std::optional<TrackedJob>& old, const TrackedJob& wanted);
  // The refusal of the submission by limits or partitions. Running jobs are never refused.
  std::optional<Refusal> RefuseSubmission(const TrackedJob& wanted, const TrackedJob* live);
  // Whether the job is the calling user's.
  bool IsOwn(const TrackedJob& job) const {
    return rights_.user.has_value() && Owns(rights_, job.job.user);
  }
  // The refusal of the job for lack of room; nullopt = there is room.
  std::optional<Refusal> RoomFor(const Entry& entry, const TrackedJob& wanted) const;
  // Changes the job to `wanted`, which is valid, if limits allow it.
  size_t Accept(const TrackedJob& wanted);
  // Records the change for later jobs of this update.
  void Note(const Entry& entry, const TrackedJob& wanted);
  size_t AddNotFound(absl::string_view job_id);
  std::optional<TrackedJob> Find(absl::string_view job_id);
  // Calls `visit` for the tasks split off an array as of this update, including ended ones.
  void ForEachTask(absl::string_view array_job_id,
                   absl::FunctionRef<void(const TrackedJob&)> visit);
  // Sets the fields that the queue computes for an upserted job.
  void FillKeptFields(Entry& entry);
  // Arrays whose task limit may apply differently than before.
  TrackedQueue::JobIds LimitedArrays();
  void LimitArray(const std::string& array_job_id);
  // Jobs that wait for jobs that this update may have changed.
  TrackedQueue::JobIds Waiting();
  // Adds those singletons of a name that may be met before or after the update.
  void AddSingletons(absl::string_view user, absl::string_view name, TrackedQueue::JobIds* waiting);
  // Of the namesakes after the update. REQUIRES: called in Finish alone.
  const Foremost& ForemostOf(absl::string_view user, absl::string_view name);
  absl::Status ResolveDependencies(Check check);
  void ResolveDependency(absl::string_view job_id, JobProgress& progress);
  bool IsWaitedFor(const TrackedJob& job);
  void FinishEntry(Entry& entry, std::vector<JobChange>* changes);

  const TrackedQueue& queue_;
  const absl::Time now_;
  const QueueRoom room_;
  const JobRights rights_;
  const Intake intake_;
  TrackedCounts jobs_;       // Counts of the updated queue.
  int64_t live_jobs_;        // The jobs that have not ended.
  const bool site_service_;  // Whether the policy has a PrioritySiteFactorPlugin.
  SubmitLimits limits_;
  Accruals accruals_;
  Submission submission_;
  std::deque<Entry> entries_;
  absl::flat_hash_map<absl::string_view, Entry*> by_id_;
  // Ids named by dependencies of this update.
  absl::flat_hash_set<std::string> waited_for_;
  // Entries by user and job name, for singleton, and the foremost of each name.
  absl::flat_hash_map<std::string, std::vector<std::string>> named_;
  absl::flat_hash_map<std::string, Foremost> foremost_;
  // Entries by the array of their job.
  absl::flat_hash_map<std::string, std::vector<std::string>> tasks_;
  UpdateResults results_;
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_QUEUE_UPDATE_H_
