// Batches that wait at the same time share one commit.
#ifndef PRIORITYD_SERVER_USAGE_GROUP_COMMITTER_H_
#define PRIORITYD_SERVER_USAGE_GROUP_COMMITTER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/threads/clock.h"
#include "server/threads/periodic_thread.h"
#include "server/usage/commit_lane.h"
#include "server/usage/priced_batch.h"

namespace priorityd::usage {

// A few threads commit group after group. A group is of one cluster: whatever of it waits when
// the group before it is done, in the order of its coming and of any size up to
// max_group_records. Nobody waits for company while a thread is idle, and the busier the
// threads are, the larger the groups. A cluster that is busy enough has several groups at work,
// of different streams (CommitLane). Thread-safe.
//
// A cluster whose locks somebody holds keeps its batches waiting, and no other's: its commits
// give up after a moment and are tried again (`patience`), on half of the threads at most, and
// its batches take half of all places at most.
class GroupCommitter {
 public:
  struct Options {
    // A group ends with the batch that reaches this.
    size_t max_group_records = 10'000;
    // Records between Reserve and their answer; a batch that finds none is let
    // in whatever its size.
    size_t max_pending_records = 200'000;
    int threads = 4;
    // As many records of other streams must wait for a second group of one cluster.
    size_t parallel_from = 400;
    // After a commit of a cluster met a lock.
    absl::Duration retry_locked = absl::Milliseconds(500);
    // How long a batch waits for a lock before it is answered UNAVAILABLE (DATABASE_LOCKED).
    absl::Duration patience = absl::Seconds(30);
    threads::Clock clock = threads::RunningTime;  // A real one.
  };
  // Writes all of a group and returns the results of each batch, or writes nothing and
  // returns an error. Called by several threads.
  using Commit = std::function<absl::StatusOr<std::vector<RecordResults>>(
      absl::Span<const std::unique_ptr<QueuedBatch>>)>;
  // A place in the queue; given back when the last copy goes.
  using Place = std::shared_ptr<void>;

  GroupCommitter(Options options, Commit commit);
  // Commits and answers what waits, without patience.
  ~GroupCommitter();
  GroupCommitter(const GroupCommitter&) = delete;
  GroupCommitter& operator=(const GroupCommitter&) = delete;

  // RESOURCE_EXHAUSTED (INGEST_QUEUE_FULL, with the time to wait) when that many
  // records find no room. The committer must outlive the place.
  absl::StatusOr<Place> Reserve(size_t records);

  // What waits to be committed; what is at work is not in it.
  struct Waiting {
    size_t records = 0;
    absl::Duration longest;  // That the oldest batch has waited.
  };
  Waiting waiting() const ABSL_LOCKS_EXCLUDED(mutex_);

  // Queues a prepared batch; its place is kept until it is answered. After a
  // passing error (UNAVAILABLE, ABORTED) every batch of the group is answered
  // with it, unless it was a lock that was not free (storage::IsLockTimeout); after any
  // other one the group is halved until the batch at fault stands alone, so that the rest
  // lands. A batch whose `earlier_failed` is set by then is answered UNAVAILABLE and not
  // written.
  void Submit(std::unique_ptr<QueuedBatch> batch, Place place);

 private:
  using Lanes = std::map<std::string, CommitLane>;
  struct Work {
    Lanes::iterator lane;
    bool was_locked = false;
    CommitLane::Group group;
  };

  void Run();
  // What is committed next; an empty group at the end.
  Work NextWork() ABSL_LOCKS_EXCLUDED(mutex_);
  // The lane to commit now, end() if there is none.
  Lanes::iterator OldestReady() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool MayTry(const CommitLane& lane) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Has a thread look for lanes that are to be tried again by now; when the next one is.
  absl::Time SignalRetries() ABSL_LOCKS_EXCLUDED(mutex_);
  // Takes back what met a lock.
  void Finish(Work work, Batches locked) ABSL_LOCKS_EXCLUDED(mutex_);
  // What is no longer to wait in a lane that met a lock.
  Batches GiveUp(CommitLane& lane) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  size_t LockedRecords() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Commits and answers; returns what met a lock, in its order.
  Batches CommitAndAnswer(Batches group);

  const Options options_;
  const CommitLane::Limits limits_;
  const Commit commit_;
  mutable absl::Mutex mutex_;
  absl::CondVar changed_;
  Lanes lanes_ ABSL_GUARDED_BY(mutex_);  // Those with batches that wait or are at work.
  int locked_at_work_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t next_number_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t pending_records_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stops_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
  threads::PeriodicThread retries_;
};

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_GROUP_COMMITTER_H_
