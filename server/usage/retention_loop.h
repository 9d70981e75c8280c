// Keeps the ledgers of all clusters as short as their policies say.
#ifndef PRIORITYD_SERVER_USAGE_RETENTION_LOOP_H_
#define PRIORITYD_SERVER_USAGE_RETENTION_LOOP_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/threads/clock.h"
#include "server/threads/periodic_thread.h"
#include "storage/cluster_store.h"
#include "storage/database.h"

namespace priorityd::usage {

// Rolls up every cluster at its start and then each period, on a thread of its own,
// and logs what it did; once a day deletes what else is past its age (expiry.h). Between
// transactions it waits as long as the last one took, so that it uses the database half of the time
// at most. An error is logged and the cluster's turn comes again.
class RetentionLoop {
 public:
  struct Options {
    absl::Duration period = absl::Minutes(1);
    threads::Clock clock;
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

  // Call once.
  void Start();

  // A clock that was set calls it: a turn that is due by now comes at once.
  void CheckClock() { thread_.CheckClock(); }

 private:
  // What need not be done again.
  struct Done {
    absl::Time before = absl::InfinitePast();  // Up to there all is rolled up.
    absl::Time next_expiry = absl::InfinitePast();
  };
  // A cluster by its id, in an incarnation of the database (storage::Transaction): another one
  // of the same name, and one that was restored, is another one.
  using Key = std::pair<int64_t, int32_t>;

  void RollUpClusters();
  absl::Status RollUpCluster(const std::string& cluster, Done& done);
  absl::Status DeleteExpiredOf(const std::string& cluster, Done& done);
  // Waits as long as the transaction that began at `begin` took; false if the loop is to
  // do no more.
  bool WaitAsLongAs(absl::Time begin);

  storage::Database* const database_;
  const Options options_;
  std::map<Key, Done> done_;  // Of the clusters that there are. Only the thread's.
  threads::PeriodicThread thread_;
};

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_RETENTION_LOOP_H_
