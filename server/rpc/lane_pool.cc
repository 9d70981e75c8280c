#include "server/rpc/lane_pool.h"

#include <utility>

namespace priorityd::rpc {

LanePool::LanePool(int threads, size_t max_queued) : max_queued_(max_queued), pool_(threads) {}

bool LanePool::TrySchedule(const std::string& lane, std::function<void()> work) {
  absl::MutexLock lock(&mutex_);
  if (queued_ >= max_queued_) return false;
  ++queued_;
  const auto [found, is_new] = lanes_.try_emplace(lane);
  found->second.push_back(std::move(work));
  if (is_new) pool_.Schedule([this, lane] { RunOne(lane); });
  return true;
}

void LanePool::RunOne(const std::string& lane) {
  std::function<void()> work;
  {
    absl::MutexLock lock(&mutex_);
    std::deque<std::function<void()>>& queue = lanes_[lane];
    work = std::move(queue.front());
    queue.pop_front();
    --queued_;
  }
  work();
  absl::MutexLock lock(&mutex_);
  if (lanes_[lane].empty()) {
    lanes_.erase(lane);
  } else {
    pool_.Schedule([this, lane] { RunOne(lane); });
  }
}

}  // namespace priorityd::rpc
