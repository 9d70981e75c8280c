#include "server/transport/lane_pool.h"

#include <algorithm>
#include <utility>

#include "server/threads/clock.h"

namespace priorityd::rpc {
namespace {

// The pause after the first attempt; doubles up to the longest.
constexpr absl::Duration kFirstRest = absl::Milliseconds(10);
constexpr absl::Duration kLongestRest = absl::Milliseconds(200);
// One of this many turns goes to a lane whose work is run again, while there are new ones too.
constexpr int kTurns = 4;

absl::Duration RestAfter(int tries) {
  return std::min(kFirstRest * (int64_t{1} << std::min(tries - 1, 10)), kLongestRest);
}

}  // namespace

LanePool::LanePool(int threads, size_t max_queued, const quotas::Parts& parts)
    : max_queued_(max_queued),
      calls_(RuleOfCalls(threads, max_queued, parts)),
      pool_(threads),
      waker_(threads::RunningTime) {
  waker_.Start([this] { return EndRests(); });
}

LanePool::~LanePool() {
  absl::MutexLock lock(&mutex_);
  mutex_.Await(absl::Condition(this, &LanePool::IsEmpty));
}

bool LanePool::TrySchedule(const std::string& lane, Work work) {
  absl::MutexLock lock(&mutex_);
  const auto found = lanes_.find(lane);
  const size_t waiting = found == lanes_.end() ? 0 : found->second.work.size();
  if (queued_ + waiting >= max_queued_) return false;
  ++queued_;
  const bool is_new = found == lanes_.end();
  lanes_[lane].work.push_back(std::move(work));
  if (is_new) SetReady(lane, &fresh_);
  return true;
}

absl::Status LanePool::TrySchedule(const quotas::Holder& caller, const std::string& lane,
                                   Work work) {
  auto place = TakePlace(caller, &calls_);
  if (!place.ok()) return place.status();
  const bool taken =
      TrySchedule(lane, [place = *std::move(place), work = std::move(work)] { return work(); });
  return taken ? absl::OkStatus() : BusyError();
}

PoolActivity LanePool::activity() const {
  PoolActivity activity = pool_.activity();
  absl::MutexLock lock(&mutex_);
  activity.queued = queued_;
  return activity;
}

void LanePool::SetReady(const std::string& lane, std::deque<std::string>* ready) {
  ready->push_back(lane);
  pool_.Schedule([this] { RunOne(); });
}

std::string LanePool::TakeReady() {
  const bool is_turn_of_again = ++turns_ % kTurns == 0;
  const bool from_again = fresh_.empty() || (is_turn_of_again && !again_.empty());
  std::deque<std::string>& ready = from_again ? again_ : fresh_;
  std::string lane = std::move(ready.front());
  ready.pop_front();
  return lane;
}

void LanePool::RunOne() {
  std::string name;
  Work work;
  {
    absl::MutexLock lock(&mutex_);
    name = TakeReady();
    Lane& lane = lanes_[name];
    work = std::move(lane.work.front());
    lane.work.pop_front();
    --queued_;
  }
  const bool is_done = work();
  absl::MutexLock lock(&mutex_);
  Lane& lane = lanes_[name];
  if (!is_done) {
    ++queued_;
    lane.work.push_front(std::move(work));
    resting_.emplace(threads::RunningTime() + RestAfter(++lane.tries), name);
    waker_.Wake();
    return;
  }
  lane.tries = 0;
  if (lane.work.empty()) {
    lanes_.erase(name);
  } else {
    SetReady(name, &fresh_);
  }
}

absl::Time LanePool::EndRests() {
  absl::MutexLock lock(&mutex_);
  while (!resting_.empty() && resting_.begin()->first <= threads::RunningTime()) {
    SetReady(resting_.begin()->second, &again_);
    resting_.erase(resting_.begin());
  }
  return resting_.empty() ? absl::InfiniteFuture() : resting_.begin()->first;
}

}  // namespace priorityd::rpc
