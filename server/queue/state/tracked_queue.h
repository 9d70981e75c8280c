// The tracked queue of one cluster, in memory.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_TRACKED_QUEUE_H_
#define PRIORITYD_SERVER_QUEUE_STATE_TRACKED_QUEUE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "engine/priority/jobs/job_table.h"
#include "server/queue/state/ended_jobs.h"
#include "server/queue/state/namesakes.h"
#include "server/queue/state/queue_state.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

// The change of one job.
struct JobChange {
  std::string job_id;
  std::string packed;  // From PackJob; empty = the job is removed.
};

// Holds jobs in chunks; a change rebuilds the chunks of its jobs. Ended jobs are kept separately:
// they are not ranked, but dependencies may need them. Thread-compatible; any thread can read the
// result of state().
class TrackedQueue {
 public:
  explicit TrackedQueue(std::shared_ptr<const priority::Snapshot> snapshot);
  ~TrackedQueue();
  TrackedQueue(const TrackedQueue&) = delete;
  TrackedQueue& operator=(const TrackedQueue&) = delete;

  std::shared_ptr<const QueueState> state() const { return state_; }

  // The number of jobs that have not ended.
  size_t live_jobs() const { return chunk_of_.size(); }
  // The number of jobs, including ended ones.
  size_t size() const { return chunk_of_.size() + ended_.size(); }

  // The number of jobs, including ended ones, and the sum of their MemoryOf.
  struct Held {
    size_t jobs = 0;
    size_t bytes = 0;

    // Adds a job of these bytes or removes it.
    void Count(size_t of_job, bool there) {
      jobs = there ? jobs + 1 : jobs - 1;
      bytes = there ? bytes + of_job : bytes - of_job;
    }
  };
  const Held& held() const { return held_; }
  // Of this user's jobs.
  Held HeldBy(absl::string_view user) const {
    const auto found = held_by_.find(user);
    return found == held_by_.end() ? Held() : found->second;
  }

  // Finds a job, including ended ones; its texts are valid until the next change.
  std::optional<TrackedJob> Find(absl::string_view job_id) const;
  // Calls `visit` for every job that has not ended.
  void ForEach(absl::FunctionRef<void(const TrackedJob&)> visit) const;
  // Calls `visit` for every job that ended.
  void ForEachEnded(absl::FunctionRef<void(const TrackedJob&)> visit) const;

  // Ids of jobs that have not ended, unless stated otherwise; valid until the next change.
  using JobIds = absl::btree_set<std::string>;

  // Jobs whose dependency names this one, or tasks of this array.
  const JobIds& WaitingFor(absl::string_view job_id) const;
  // Jobs of this user with this name. REQUIRES: the name is not empty.
  const Namesakes& Named(absl::string_view user, absl::string_view name) const;
  // The jobs among them with a singleton dependency.
  const JobIds& Singletons(absl::string_view user, absl::string_view name) const;

  // Tasks split off an array, including ended ones.
  const JobIds& TasksOf(absl::string_view array_job_id) const;

  // Of two changes of one job, the later one wins.
  void Apply(absl::Span<const JobChange> changes);
  // Rebuilds all columns.
  void SetSnapshot(std::shared_ptr<const priority::Snapshot> snapshot);

 private:
  using Edits = absl::flat_hash_map<absl::string_view, const JobChange*>;

  // Adds the change to those of its job's chunk, and to those of the ended jobs.
  void AssignToChunk(const JobChange& change, absl::flat_hash_map<uint32_t, Edits>* edits,
                     std::vector<EndedJobs::Change>* ended);
  // Adds the edited jobs of a chunk to the counts, or removes them (`there` false).
  void Count(const JobChunk& chunk, const Edits& edits, bool there,
             priority::LimitCounts* counts) const;
  uint32_t PlaceForNew();
  std::shared_ptr<const JobChunk> Rebuild(uint32_t chunk, const Edits& edits);
  // Adds the job to the indices of users, dependencies, names and arrays, or removes it.
  void Note(const TrackedJob& job, bool there);
  void NoteDependency(const TrackedJob& job, bool there);
  void CountUser(const TrackedJob& job, bool there);

  std::shared_ptr<const QueueScale> scale_;
  std::unique_ptr<priority::JobTableBuilder> builder_;
  std::vector<std::shared_ptr<const JobChunk>> chunks_;
  std::vector<uint32_t> fill_;       // Jobs by chunk, including those being added.
  absl::btree_set<uint32_t> roomy_;  // Chunks that are half empty.
  absl::flat_hash_map<std::string, uint32_t> chunk_of_;  // By job id.
  EndedJobs ended_;
  absl::flat_hash_map<std::string, JobIds> waiting_for_;  // By the id in the dependency.
  absl::flat_hash_map<std::string, Namesakes> named_;     // By user and name.
  absl::flat_hash_map<std::string, JobIds> singletons_;   // By user and name.
  absl::flat_hash_map<std::string, JobIds> tasks_of_;     // By array_job_id.
  absl::flat_hash_map<std::string, Held> held_by_;        // By user.
  Held held_;
  std::shared_ptr<const QueueState> state_;
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_TRACKED_QUEUE_H_
