#include "server/rpc/worker_pool.h"

#include <utility>

namespace priorityd::rpc {

WorkerPool::WorkerPool(int threads, size_t max_queued) : max_queued_(max_queued) {
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
    work = nullptr;  // What it holds goes before the thread waits.
  }
}

}  // namespace priorityd::rpc
