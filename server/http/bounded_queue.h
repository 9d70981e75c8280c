// The threads that serve HTTP connections, and those that wait for them.
#ifndef PRIORITYD_SERVER_HTTP_BOUNDED_QUEUE_H_
#define PRIORITYD_SERVER_HTTP_BOUNDED_QUEUE_H_

#include <httplib.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace priorityd::http {

// Runs the tasks of an httplib::Server, each of which is a connection. A task that finds no room
// is run at once, on the thread that accepts, where refusing() is true: it is to close its
// connection. Thread-safe.
class BoundedQueue : public httplib::TaskQueue {
 public:
  BoundedQueue(int threads, size_t max_waiting);
  ~BoundedQueue() override { Stop(); }

  void enqueue(std::function<void()> task) override ABSL_LOCKS_EXCLUDED(mutex_);
  // Finishes what was taken. Later calls do nothing.
  void shutdown() override { Stop(); }

  // Whether the task that this thread runs found no room.
  static bool refusing();

 private:
  void Run() ABSL_LOCKS_EXCLUDED(mutex_);
  void Stop() ABSL_LOCKS_EXCLUDED(mutex_);

  const size_t max_waiting_;
  absl::Mutex mutex_;
  absl::CondVar changed_;
  std::deque<std::function<void()>> waiting_ ABSL_GUARDED_BY(mutex_);
  bool stops_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace priorityd::http

#endif  // PRIORITYD_SERVER_HTTP_BOUNDED_QUEUE_H_
