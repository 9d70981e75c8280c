#include "server/transport/worker_pool.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "engine/errors/error_details.h"
#include "server/threads/background.h"
#include "server/threads/clock.h"

namespace priorityd::rpc {
namespace {

constexpr absl::Duration kRetryWhenBusy = absl::Seconds(1);
// The pause after the first attempt; doubles up to the longest.
constexpr absl::Duration kFirstRest = absl::Milliseconds(10);
constexpr absl::Duration kLongestRest = absl::Milliseconds(200);
// One of this many turns goes to a lane whose work is run again, while there are new ones too.
constexpr int kTurns = 4;

absl::Duration RestAfter(int tries) {
  return std::min(kFirstRest * (int64_t{1} << std::min(tries - 1, 10)), kLongestRest);
}

int ThreadsOfLane(const WorkerPool::Options& options) {
  return options.one_at_a_time ? 1 : std::max(1, options.threads - 1);
}

quotas::Rule RuleOfCalls(const WorkerPool::Options& options) {
  return options.parts.RuleOf(quotas::kCalls,
                              options.max_queued + static_cast<size_t>(options.threads),
                              "await the answers of other calls, and retry");
}

}  // namespace

absl::Status BusyError() {
  return errors::WithRetryDelay(
      errors::WithReason(absl::ResourceExhaustedError("too many calls wait for the service; retry"),
                         "SERVER_BUSY"),
      kRetryWhenBusy);
}

WorkerPool::WorkerPool(Options options)
    : options_(std::move(options)),
      of_lane_(ThreadsOfLane(options_)),
      calls_(RuleOfCalls(options_)),
      waker_(threads::RunningTime) {
  threads_.reserve(options_.threads);
  for (int i = 0; i < options_.threads; ++i) threads_.emplace_back([this] { Run(); });
  waker_.Start([this] { return EndRests(); });
}

WorkerPool::~WorkerPool() {
  {
    absl::MutexLock lock(&mutex_);
    stops_ = true;
    changed_.SignalAll();
  }
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::Schedule(const std::string& lane, std::function<void()> work) {
  const auto done = [work = std::move(work)] { return work(), true; };
  Add(lane, lane, done, quotas::kUnbounded);
}

bool WorkerPool::TrySchedule(const std::string& lane, Work work) {
  return Add(lane, lane, std::move(work), options_.max_queued);
}

absl::Status WorkerPool::TrySchedule(const quotas::Holder& caller, const std::string& lane,
                                     Work work) {
  absl::StatusOr<quotas::Share> place = calls_.Take(caller);
  if (!place.ok()) return errors::WithRetryDelay(place.status(), kRetryWhenBusy);
  // A function must be copyable.
  const auto in_place = [place = std::make_shared<quotas::Share>(*std::move(place)),
                         work = std::move(work)] { return work(); };
  return Add(caller.name, lane, in_place, options_.max_queued) ? absl::OkStatus() : BusyError();
}

bool WorkerPool::Add(const std::string& caller, const std::string& lane, Work work,
                     size_t max_queued) {
  absl::MutexLock lock(&mutex_);
  const auto found = lanes_.find(lane);
  const size_t waiting = found == lanes_.end() ? 0 : found->second.waiting.size();
  if (queued_ + waiting >= max_queued) return false;
  ++queued_;
  const auto at = lanes_.try_emplace(lane).first;
  at->second.waiting.Add(caller, std::move(work));
  Offer(at, &fresh_);
  return true;
}

PoolActivity WorkerPool::activity() const {
  absl::MutexLock lock(&mutex_);
  return {.threads = threads(), .busy = busy_, .queued = queued_};
}

void WorkerPool::AwaitIdle() const {
  absl::MutexLock lock(&mutex_);
  mutex_.Await(absl::Condition(this, &WorkerPool::IsIdle));
}

void WorkerPool::Run() {
  if (options_.in_background) threads::WorkInBackground();
  for (Turn turn = Next(); turn.work != nullptr; turn = Next()) {
    const bool is_done = turn.work();
    if (is_done) turn.work = nullptr;  // Destroyed without the lock.
    Finish(std::move(turn), is_done);
  }
}

WorkerPool::Turn WorkerPool::Next() {
  absl::MutexLock lock(&mutex_);
  while (fresh_.empty() && again_.empty()) {
    if (stops_ && lanes_.empty()) return {};
    changed_.Wait(&mutex_);
  }
  const auto at = TakeReady();
  Lane& lane = at->second;
  Turn turn{at};
  if (lane.again.empty()) {
    turn.work = lane.waiting.Take();
  } else {
    turn.work = std::move(lane.again.front());
    lane.again.pop_front();
  }
  --queued_;
  ++busy_;
  ++lane.running;
  Offer(at, &fresh_);
  return turn;
}

void WorkerPool::Finish(Turn turn, bool is_done) {
  absl::MutexLock lock(&mutex_);
  Lane& lane = turn.lane->second;
  --busy_;
  --lane.running;
  if (is_done) {
    lane.tries = 0;
  } else {
    ++queued_;
    lane.again.push_back(std::move(turn.work));
    Rest(turn.lane);
  }
  Offer(turn.lane, &fresh_);
  if (lane.has_work() || lane.running > 0) return;
  lanes_.erase(turn.lane);
  if (stops_ && lanes_.empty()) changed_.SignalAll();
}

void WorkerPool::Offer(Lanes::iterator at, std::deque<Lanes::iterator>* ready) {
  Lane& lane = at->second;
  if (lane.is_ready || lane.rests || lane.running >= of_lane_ || !lane.has_work()) return;
  lane.is_ready = true;
  ready->push_back(at);
  changed_.Signal();
}

WorkerPool::Lanes::iterator WorkerPool::TakeReady() {
  const bool is_turn_of_again = ++turns_ % kTurns == 0;
  const bool from_again = fresh_.empty() || (is_turn_of_again && !again_.empty());
  std::deque<Lanes::iterator>& ready = from_again ? again_ : fresh_;
  const auto lane = ready.front();
  ready.pop_front();
  lane->second.is_ready = false;
  return lane;
}

void WorkerPool::Rest(Lanes::iterator at) {
  if (std::exchange(at->second.rests, true)) return;
  resting_.emplace(threads::RunningTime() + RestAfter(++at->second.tries), at);
  waker_.Wake();
}

absl::Time WorkerPool::EndRests() {
  absl::MutexLock lock(&mutex_);
  while (!resting_.empty() && resting_.begin()->first <= threads::RunningTime()) {
    const auto lane = resting_.begin()->second;
    resting_.erase(resting_.begin());
    lane->second.rests = false;
    Offer(lane, &again_);
  }
  return resting_.empty() ? absl::InfiniteFuture() : resting_.begin()->first;
}

}  // namespace priorityd::rpc
