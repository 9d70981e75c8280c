#include "server/usage/commit_lane.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/hash/hash.h"

namespace priorityd::usage {
namespace {

constexpr unsigned kAllTracks = (1u << CommitLane::kTracks) - 1;

size_t RecordsOf(const QueuedBatch& batch) { return batch.submitted.submissions.size(); }

// The track of the batch's stream. Unary calls have no order.
int TrackOf(const QueuedBatch& batch) {
  const void* stream = batch.submitted.earlier_failed.get();
  const size_t hash =
      stream == nullptr ? static_cast<size_t>(batch.number) : absl::Hash<const void*>()(stream);
  return static_cast<int>(hash % CommitLane::kTracks);
}

}  // namespace

void CommitLane::Count(const QueuedBatch& batch, int sign) {
  const size_t records = RecordsOf(batch) * static_cast<size_t>(sign);
  records_of_[batch.track] += records;
  records_ += records;
}

void CommitLane::Add(std::unique_ptr<QueuedBatch> batch) {
  batch->track = TrackOf(*batch);
  Count(*batch, 1);
  queue_.push_back(std::move(batch));
}

unsigned CommitLane::NextTracks(const Limits& limits) const {
  if (queue_.empty()) return 0;
  if (busy_ == 0 && (locked_ || records_ < limits.parallel_from)) return kAllTracks;
  if (busy_ == 0) return 1u << queue_.front()->track;
  unsigned ready = 0;
  for (int track = 0; track < kTracks && !locked_; ++track) {
    if (records_of_[track] >= limits.parallel_from) ready |= 1u << track;
  }
  ready &= ~busy_;
  if (ready == 0) return 0;
  const auto oldest = absl::c_find_if(queue_, [ready](const std::unique_ptr<QueuedBatch>& batch) {
    return (ready & 1u << batch->track) != 0;
  });
  return 1u << (*oldest)->track;
}

std::optional<int64_t> CommitLane::Next(const Limits& limits) const {
  const unsigned tracks = NextTracks(limits);
  for (const std::unique_ptr<QueuedBatch>& batch : queue_) {
    if ((tracks & 1u << batch->track) != 0) return batch->number;
  }
  return std::nullopt;
}

CommitLane::Group CommitLane::Take(const Limits& limits) {
  Group group{.batches = {}, .tracks = NextTracks(limits)};
  if (group.tracks == 0) return group;
  busy_ |= group.tracks;
  std::deque<std::unique_ptr<QueuedBatch>> left;
  size_t records = 0;
  for (std::unique_ptr<QueuedBatch>& batch : queue_) {
    const bool is_wanted =
        records < limits.group_records && (group.tracks & 1u << batch->track) != 0;
    if (!is_wanted) {
      left.push_back(std::move(batch));
      continue;
    }
    records += RecordsOf(*batch);
    Count(*batch, -1);
    group.batches.push_back(std::move(batch));
  }
  queue_ = std::move(left);
  return group;
}

void CommitLane::PutBack(Batches batches, absl::Time retry_at) {
  locked_ = true;
  retry_at_ = retry_at;
  for (auto batch = batches.rbegin(); batch != batches.rend(); ++batch) {
    Count(**batch, 1);
    queue_.push_front(std::move(*batch));
  }
}

Batches CommitLane::Drop(absl::Time time, size_t records) {
  Batches dropped;
  while (!queue_.empty() && queue_.front()->queued_at < time) {
    Count(*queue_.front(), -1);
    dropped.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  const size_t from = dropped.size();
  while (!queue_.empty() && records_ > records) {
    Count(*queue_.back(), -1);
    dropped.push_back(std::move(queue_.back()));
    queue_.pop_back();
  }
  std::reverse(dropped.begin() + static_cast<ptrdiff_t>(from), dropped.end());
  return dropped;
}

}  // namespace priorityd::usage
