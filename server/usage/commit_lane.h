// The batches of one cluster that wait to be committed.
#ifndef PRIORITYD_SERVER_USAGE_COMMIT_LANE_H_
#define PRIORITYD_SERVER_USAGE_COMMIT_LANE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "server/usage/priced_batch.h"

namespace priorityd::usage {

using Batches = std::vector<std::unique_ptr<QueuedBatch>>;

// Batches of one stream are committed in the order of their coming, as they may replace
// records of each other. So each stream belongs to one of a few tracks, and a track has one
// group at work at most. As long as little waits, a group takes from all tracks, and is the
// only one; where much waits, each track has groups of its own. Thread-compatible.
class CommitLane {
 public:
  static constexpr int kTracks = 4;

  struct Limits {
    size_t group_records;  // A group ends with the batch that reaches this.
    size_t parallel_from;  // As many must wait in a track for a group of its own.
  };
  struct Group {
    Batches batches;
    unsigned tracks = 0;  // A bit for each, at work until Done.
  };

  bool is_empty() const { return queue_.empty() && busy_ == 0; }
  // That wait, without those at work.
  size_t records() const { return records_; }

  // When the batch that waits the longest was queued; `none` if there is none.
  absl::Time OldestQueuedAt(absl::Time none) const {
    return queue_.empty() ? none : queue_.front()->queued_at;
  }

  // Gives the batch its track.
  void Add(std::unique_ptr<QueuedBatch> batch);

  // Takes the group that is next; an empty one if none may begin now.
  Group Take(const Limits& limits);
  // The number of the oldest batch of the group that Take would return; nullopt if none.
  std::optional<int64_t> Next(const Limits& limits) const;
  void Done(const Group& group) { busy_ &= ~group.tracks; }

  // A commit met a lock: `batches`, of one group, wait again, before all others, until
  // `retry_at`. Then and until Free there is one group at a time.
  void PutBack(Batches batches, absl::Time retry_at);
  void Free() { locked_ = false; }
  bool locked() const { return locked_; }
  absl::Time retry_at() const { return locked_ ? retry_at_ : absl::InfinitePast(); }

  // Takes out what was queued before `time`, and the newest batches until `records` are left.
  Batches Drop(absl::Time time, size_t records);

 private:
  // The tracks of which the next group is; 0 = no group may begin now.
  unsigned NextTracks(const Limits& limits) const;
  void Count(const QueuedBatch& batch, int sign);

  std::deque<std::unique_ptr<QueuedBatch>> queue_;
  std::array<size_t, kTracks> records_of_ = {};
  size_t records_ = 0;
  unsigned busy_ = 0;
  bool locked_ = false;
  absl::Time retry_at_;
};

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_COMMIT_LANE_H_
