#include "server/transport/worker_pool.h"

#include <utility>

#include "absl/time/time.h"
#include "engine/errors/error_details.h"

namespace priorityd::rpc {
namespace {

constexpr absl::Duration kRetryWhenBusy = absl::Seconds(1);

}  // namespace

quotas::Rule RuleOfCalls(int threads, size_t max_queued, const quotas::Parts& parts) {
  return parts.RuleOf(quotas::kCalls, max_queued + static_cast<size_t>(threads),
                      "await the answers of other calls, and try again");
}

absl::StatusOr<std::shared_ptr<quotas::Share>> TakePlace(const quotas::Holder& caller,
                                                         quotas::Quota* calls) {
  absl::StatusOr<quotas::Share> place = calls->Take(caller);
  if (!place.ok()) return errors::WithRetryDelay(place.status(), kRetryWhenBusy);
  return std::make_shared<quotas::Share>(*std::move(place));
}

absl::Status BusyError() {
  return errors::WithRetryDelay(
      errors::WithReason(
          absl::ResourceExhaustedError("too many calls wait for the service; try again"),
          "SERVER_BUSY"),
      kRetryWhenBusy);
}

WorkerPool::WorkerPool(int threads, size_t max_queued, const quotas::Parts& parts)
    : max_queued_(max_queued), calls_(RuleOfCalls(threads, max_queued, parts)) {
  threads_.reserve(threads);
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
}

WorkerPool::~WorkerPool() {
  {
    absl::MutexLock lock(&mutex_);
    stops_ = true;
    changed_.SignalAll();
  }
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::Schedule(std::function<void()> work) {
  absl::MutexLock lock(&mutex_);
  queue_.push_back(std::move(work));
  changed_.Signal();
}

bool WorkerPool::TrySchedule(std::function<void()> work) {
  absl::MutexLock lock(&mutex_);
  if (queue_.size() >= max_queued_) return false;
  queue_.push_back(std::move(work));
  changed_.Signal();
  return true;
}

absl::Status WorkerPool::TrySchedule(const quotas::Holder& caller, std::function<void()> work) {
  auto place = TakePlace(caller, &calls_);
  if (!place.ok()) return place.status();
  const bool taken = TrySchedule([place = *std::move(place), work = std::move(work)] { work(); });
  return taken ? absl::OkStatus() : BusyError();
}

PoolActivity WorkerPool::activity() const {
  absl::MutexLock lock(&mutex_);
  return {.threads = threads(), .busy = busy_, .queued = queue_.size()};
}

std::function<void()> WorkerPool::Next(bool has_worked) {
  absl::MutexLock lock(&mutex_);
  if (has_worked) --busy_;
  while (queue_.empty() && !stops_) changed_.Wait(&mutex_);
  if (queue_.empty()) return nullptr;
  std::function<void()> work = std::move(queue_.front());
  queue_.pop_front();
  ++busy_;
  return work;
}

void WorkerPool::Run() {
  for (auto work = Next(false); work != nullptr; work = Next(true)) {
    work();
    work = nullptr;  // Destroys the work before the thread waits.
  }
}

}  // namespace priorityd::rpc
