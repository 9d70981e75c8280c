// The batches of one cluster that wait for a commit.
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

// Batches of one stream are committed in order of arrival, since they may replace each other's
// records. Each stream therefore belongs to one of a few tracks, and a track has at most one group
// in progress. While few records wait, the only group takes from all tracks; when many wait, each
// track has its own groups. Thread-compatible.
class CommitLane {
 public:
  static constexpr int kTracks = 4;

  struct Limits {
    size_t group_records;  // A group ends with the batch that reaches this.
    size_t parallel_from;  // Records that must wait in a track for its own group.
  };
  struct Group {
    Batches batches;
    unsigned tracks = 0;  // A bit per track; these are in progress until Finish.
  };

  bool is_empty() const { return queue_.empty() && busy_ == 0; }
  // Waiting records, without those in progress.
  size_t records() const { return records_; }

  // The time at which the longest waiting batch was queued; `none` if no batch waits.
  absl::Time OldestQueuedAt(absl::Time none) const {
    return queue_.empty() ? none : queue_.front()->queued_at;
  }

  // Assigns the batch to its track.
  void Add(std::unique_ptr<QueuedBatch> batch);

  // Takes the next group; an empty one if none may start now.
  Group Take(const Limits& limits);
  // The number of the oldest batch of the group that Take would return; nullopt if none.
  std::optional<int64_t> Next(const Limits& limits) const;
  void Finish(const Group& group) { busy_ &= ~group.tracks; }

  // After a lock conflict: `batches`, of one group, wait again until `retry_at`, ahead of all
  // others. From then until Free, there is one group at a time.
  void PutBack(Batches batches, absl::Time retry_at);
  void Free() { locked_ = false; }
  bool locked() const { return locked_; }
  absl::Time retry_at() const { return locked_ ? retry_at_ : absl::InfinitePast(); }

  // Removes batches queued before `time`, and the newest ones until at most `records` are left.
  Batches Drop(absl::Time time, size_t records);

 private:
  // The tracks of the next group; 0 = no group may start now.
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
