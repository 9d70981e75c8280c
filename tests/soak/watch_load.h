// A watch that must come to the final state whatever happened on the way.
#ifndef PRIORITYD_TESTS_SOAK_WATCH_LOAD_H_
#define PRIORITYD_TESTS_SOAK_WATCH_LOAD_H_

#include <memory>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "client/ranking_watch.h"
#include "tests/soak/load.h"

namespace priorityd::soak {

// The top of one cluster's queue, by one replica.
class Watcher {
 public:
  static constexpr uint32_t kRows = 20;

  Watcher(const Replica* replica, int cluster);
  ~Watcher();

  // Waits for the first answer, before which no watch tries twice; false if there is none in time.
  bool AwaitFirstAnswer() ABSL_LOCKS_EXCLUDED(mutex_);

  // Waits until it has what RankJobs of its replica answers; fails the test if it never does.
  void ExpectTheTop();

  int64_t answers() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Rows = google::protobuf::RepeatedPtrField<::priority::v1::RankedJob>;

  bool HasTheTop(std::string* difference) ABSL_LOCKS_EXCLUDED(mutex_);

  const Replica* const replica_;
  const std::string cluster_;
  const std::unique_ptr<const client::PriorityClient> client_;
  client::RankingWatch watch_;
  absl::Mutex mutex_;
  Rows top_ ABSL_GUARDED_BY(mutex_);
  int64_t answers_ ABSL_GUARDED_BY(mutex_) = 0;
  std::thread thread_;
};

}  // namespace priorityd::soak

#endif  // PRIORITYD_TESTS_SOAK_WATCH_LOAD_H_
