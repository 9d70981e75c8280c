#include "server/http/bounded_queue.h"

#include <utility>

namespace priorityd::http {
namespace {

thread_local bool is_refusing = false;

}  // namespace

BoundedQueue::BoundedQueue(int threads, size_t max_waiting) : max_waiting_(max_waiting) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
}

bool BoundedQueue::refusing() { return is_refusing; }

void BoundedQueue::enqueue(std::function<void()> task) {
  {
    absl::MutexLock lock(&mutex_);
    if (waiting_.size() < max_waiting_ && !stops_) {
      waiting_.push_back(std::move(task));
      changed_.Signal();
      return;
    }
  }
  is_refusing = true;
  task();
  is_refusing = false;
}

void BoundedQueue::Stop() {
  {
    absl::MutexLock lock(&mutex_);
    stops_ = true;
    changed_.SignalAll();
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void BoundedQueue::Run() {
  for (;;) {
    std::function<void()> task;
    {
      absl::MutexLock lock(&mutex_);
      while (waiting_.empty() && !stops_) changed_.Wait(&mutex_);
      if (waiting_.empty()) return;
      task = std::move(waiting_.front());
      waiting_.pop_front();
    }
    task();
  }
}

}  // namespace priorityd::http
