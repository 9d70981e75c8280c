// Batches that wait at the same time share one commit.
#ifndef PRIORITYD_SERVER_USAGE_GROUP_COMMITTER_H_
#define PRIORITYD_SERVER_USAGE_GROUP_COMMITTER_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "server/usage/priced_batch.h"

namespace priorityd::usage {

// One thread commits group after group. A group is whatever waits when the one
// before it is done, in the order of its coming and of any size up to
// max_group_records: nobody waits for company while the thread is idle, and the
// busier it is, the larger the groups. Thread-safe.
class GroupCommitter {
 public:
  struct Options {
    // A group ends with the batch that reaches this.
    size_t max_group_records = 10'000;
    // Records between Reserve and their answer; a batch that finds none is let
    // in whatever its size.
    size_t max_pending_records = 200'000;
  };
  // Writes all of a group and returns the results of each batch, or writes nothing and
  // returns an error.
  using Commit = std::function<absl::StatusOr<std::vector<RecordResults>>(
      absl::Span<const std::unique_ptr<QueuedBatch>>)>;
  // A place in the queue; given back when the last copy goes.
  using Place = std::shared_ptr<void>;

  GroupCommitter(Options options, Commit commit);
  // Commits and answers what waits.
  ~GroupCommitter();
  GroupCommitter(const GroupCommitter&) = delete;
  GroupCommitter& operator=(const GroupCommitter&) = delete;

  // RESOURCE_EXHAUSTED (INGEST_QUEUE_FULL, with the time to wait) when that many
  // records find no room. The committer must outlive the place.
  absl::StatusOr<Place> Reserve(size_t records);

  // Queues a prepared batch; its place is kept until it is answered. After a
  // passing error (UNAVAILABLE, ABORTED) every batch of the group is answered
  // with it; after any other one the group is halved until the batch at fault
  // stands alone, so that the rest lands. A batch whose `earlier_failed` is set by
  // then is answered UNAVAILABLE and not written.
  void Submit(std::unique_ptr<QueuedBatch> batch, Place place);

 private:
  struct Waiting {
    std::unique_ptr<QueuedBatch> batch;
    Place place;
  };

  void Run();
  // What is committed next; empty at the end.
  std::vector<Waiting> NextGroup() ABSL_LOCKS_EXCLUDED(mutex_);
  void CommitAndAnswer(std::vector<std::unique_ptr<QueuedBatch>> group);

  const Options options_;
  const Commit commit_;
  absl::Mutex mutex_;
  absl::CondVar changed_;
  std::deque<Waiting> queue_ ABSL_GUARDED_BY(mutex_);
  size_t pending_records_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stops_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_GROUP_COMMITTER_H_
