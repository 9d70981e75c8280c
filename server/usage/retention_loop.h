// Keeps the ledgers of all clusters as short as their policies say.
#ifndef PRIORITYD_SERVER_USAGE_RETENTION_LOOP_H_
#define PRIORITYD_SERVER_USAGE_RETENTION_LOOP_H_

#include <functional>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "storage/database.h"

namespace priorityd::usage {

// Rolls up every cluster at its start and then each period, on a thread of its own,
// and logs what it did. Between transactions it rests as long as the last one took,
// so that it has half of the database's attention at most. An error is logged and
// the cluster's turn comes again.
class RetentionLoop {
 public:
  struct Options {
    absl::Duration period = absl::Minutes(1);
    // Asked before each turn and each transaction: whether this server should. Two
    // that do at once only get into each other's way.
    std::function<bool()> leads = [] { return true; };
  };

  // `database` must outlive the loop.
  RetentionLoop(storage::Database* database, Options options);
  // Finishes the transaction at work.
  ~RetentionLoop();
  RetentionLoop(const RetentionLoop&) = delete;
  RetentionLoop& operator=(const RetentionLoop&) = delete;

 private:
  void Run();
  void RollUpClusters();
  absl::Status RollUpCluster(const std::string& cluster);
  // False when the loop is to stop.
  bool Rest(absl::Duration duration) ABSL_LOCKS_EXCLUDED(mutex_);

  storage::Database* const database_;
  const Options options_;
  // Of each cluster, up to where all is rolled up. Only the thread's.
  absl::flat_hash_map<std::string, absl::Time> done_before_;
  absl::Mutex mutex_;
  absl::CondVar stopped_;
  bool stops_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_RETENTION_LOOP_H_
