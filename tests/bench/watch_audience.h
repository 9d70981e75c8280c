// Many watchers, and when each of them got its news.
#ifndef PRIORITYD_TESTS_BENCH_WATCH_AUDIENCE_H_
#define PRIORITYD_TESTS_BENCH_WATCH_AUDIENCE_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "priority/v1/priority_service.grpc.pb.h"

namespace priorityd::bench {

// Reads as fast as it can, each watcher on a stream, a hundred streams on a connection.
class WatchAudience {
 public:
  // Opens all and waits until each has its first answer.
  WatchAudience(const std::string& address,
                const std::vector<::priority::v1::WatchRankingRequest>& requests);
  // Cancels all.
  ~WatchAudience();
  WatchAudience(const WatchAudience&) = delete;
  WatchAudience& operator=(const WatchAudience&) = delete;

  // What Await waits for: one answer to each, or to one alone.
  void ExpectOneEach() ABSL_LOCKS_EXCLUDED(mutex_);
  void ExpectOne(int watcher) ABSL_LOCKS_EXCLUDED(mutex_);

  // When each expected answer came, by watcher.
  std::vector<absl::Time> Await() ABSL_LOCKS_EXCLUDED(mutex_);

  // As serialized.
  std::string LastMessage() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  class Reader;

  void Came(int watcher, const ::priority::v1::WatchRankingResponse& answer)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void Done() ABSL_LOCKS_EXCLUDED(mutex_);

  std::vector<std::unique_ptr<::priority::v1::PriorityService::Stub>> stubs_;
  std::vector<std::unique_ptr<Reader>> readers_;

  mutable absl::Mutex mutex_;
  absl::CondVar changed_;
  std::vector<bool> expected_ ABSL_GUARDED_BY(mutex_);
  std::vector<absl::Time> came_ ABSL_GUARDED_BY(mutex_);
  int missing_ ABSL_GUARDED_BY(mutex_) = 0;
  int open_ ABSL_GUARDED_BY(mutex_) = 0;
  ::priority::v1::WatchRankingResponse last_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::bench

#endif  // PRIORITYD_TESTS_BENCH_WATCH_AUDIENCE_H_
