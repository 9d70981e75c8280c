// Group commit of usage records: waiting batches share one commit.
#ifndef PRIORITYD_SERVER_USAGE_GROUP_COMMITTER_H_
#define PRIORITYD_SERVER_USAGE_GROUP_COMMITTER_H_

#include <atomic>
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

// A few threads commit group after group. A group consists of one cluster's batches that wait when
// the previous group is done, in order of arrival, up to max_group_records. No batch waits while a
// thread is idle, and groups grow with the load. A busy cluster has several groups in progress,
// from different streams (CommitLane). Thread-safe.
// A cluster whose rows are locked delays only its own batches: its commits give up after a moment
// and are retried (`patience`) on at most half of the threads, and its batches take at most half of
// the queue.
class GroupCommitter {
 public:
  struct Options {
    // A group ends with the batch that reaches this.
    size_t max_group_records = 10'000;
    // Maximum records between Reserve and their answer; an empty queue accepts a batch of any size.
    size_t max_pending_records = 200'000;
    int threads = 4;
    // Records of other streams that must wait for a second group of one cluster.
    size_t parallel_from = 400;
    // The delay after a lock conflict of a cluster's commit.
    absl::Duration retry_locked = absl::Milliseconds(500);
    // The longest time that a batch waits for a lock before UNAVAILABLE (DATABASE_LOCKED).
    absl::Duration patience = absl::Seconds(30);
    threads::Clock clock = threads::RunningTime;  // A real clock.
  };
  // Writes all of a group and returns the results of each batch, or writes nothing and
  // returns an error. Called by several threads.
  using Commit = std::function<absl::StatusOr<std::vector<RecordResults>>(
      absl::Span<const std::unique_ptr<QueuedBatch>>)>;
  // A place in the queue; released when the last copy is destroyed.
  using Place = std::shared_ptr<void>;

  GroupCommitter(Options options, Commit commit);
  // Commits and answers all waiting batches, without waiting for locks.
  ~GroupCommitter();
  GroupCommitter(const GroupCommitter&) = delete;
  GroupCommitter& operator=(const GroupCommitter&) = delete;

  // RESOURCE_EXHAUSTED (INGEST_QUEUE_FULL, with the time to wait) if the queue has no room for that
  // many records. The place may outlive the committer.
  absl::StatusOr<Place> Reserve(size_t records);

  // Batches waiting for a commit, without those in progress.
  struct Waiting {
    size_t records = 0;
    absl::Duration longest;  // Waiting time of the oldest batch.
  };
  Waiting waiting() const ABSL_LOCKS_EXCLUDED(mutex_);

  // Queues a prepared batch; its place is kept until it is answered. After a temporary error
  // (UNAVAILABLE, ABORTED), every batch of the group is answered with it, except after a lock
  // timeout (storage::IsLockTimeout), which is retried. After any other error, the group is halved
  // until the batch at fault is alone, so that the rest is committed. A batch whose
  // `earlier_failed` is set by then is answered UNAVAILABLE and not written.
  void Submit(std::unique_ptr<QueuedBatch> batch, Place place);

 private:
  using Lanes = std::map<std::string, CommitLane>;
  struct Work {
    Lanes::iterator lane;
    bool was_locked = false;
    CommitLane::Group group;
  };

  void Run();
  // The next group to commit; empty at the end.
  Work NextWork() ABSL_LOCKS_EXCLUDED(mutex_);
  // The lane to commit now; end() if there is none.
  Lanes::iterator OldestReady() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool MayTry(const CommitLane& lane) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Signals a thread if lanes are due for a retry; returns the time of the next retry.
  absl::Time SignalRetries() ABSL_LOCKS_EXCLUDED(mutex_);
  // Ends the work; `locked` batches wait again.
  void Finish(Work work, Batches locked) ABSL_LOCKS_EXCLUDED(mutex_);
  // The batches that must no longer wait in a locked lane.
  Batches GiveUp(CommitLane& lane) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  size_t LockedRecords() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Commits and answers; returns the batches that met a lock, in order.
  Batches CommitAndAnswer(Batches group);

  const Options options_;
  const CommitLane::Limits limits_;
  const Commit commit_;
  // Records that have a place.
  const std::shared_ptr<std::atomic<size_t>> pending_records_ =
      std::make_shared<std::atomic<size_t>>(0);
  mutable absl::Mutex mutex_;
  absl::CondVar changed_;
  Lanes lanes_ ABSL_GUARDED_BY(mutex_);  // Lanes with waiting batches or batches in progress.
  int locked_at_work_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t next_number_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stops_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
  threads::PeriodicThread retries_;
};

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_GROUP_COMMITTER_H_
