// The thread that makes pages. For session.h and server.cc only.
#ifndef PRIORITYD_SERVER_HTTP_PAGE_THREAD_H_
#define PRIORITYD_SERVER_HTTP_PAGE_THREAD_H_

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "server/quotas/quota.h"
#include "server/threads/turns.h"

namespace priorityd::http {

// Separate from the threads of requests, which pages do not wait for. Peers take turns, so that a
// page waits for one of each other peer, however many they ask for. Thread-safe.
class PageThread {
 public:
  void Post(const quotas::Holder& peer, std::function<void()> page) ABSL_LOCKS_EXCLUDED(mutex_) {
    {
      absl::MutexLock lock(&mutex_);
      waiting_.Add(peer.name, std::move(page));
    }
    boost::asio::post(thread_, [this] { Next()(); });
  }

  // After the pages that wait.
  void Join() { thread_.join(); }

 private:
  std::function<void()> Next() ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    return waiting_.Take();
  }

  absl::Mutex mutex_;
  threads::Turns<std::function<void()>> waiting_ ABSL_GUARDED_BY(mutex_);
  boost::asio::thread_pool thread_{1};
};

}  // namespace priorityd::http

#endif  // PRIORITYD_SERVER_HTTP_PAGE_THREAD_H_
