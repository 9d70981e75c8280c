// Applies the clusters' retention policies to their ledgers.
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
#include "storage/configuration/cluster_store.h"
#include "storage/database/database.h"

namespace priorityd::usage {

// Rolls up every cluster at the start and then each period, on its own thread, and logs the result;
// deletes other expired data once a day (expiry.h). After each transaction it waits as long as the
// transaction took, so that it uses the database at most half of the time. After an error, which is
// logged, the next period retries.
class RetentionLoop {
 public:
  struct Options {
    absl::Duration period = absl::Minutes(1);  // Infinite: no turn, the first one included.
    threads::Clock clock;
    // Checked before each turn and each transaction: whether this replica does the work. Two
    // replicas at once would only slow each other down.
    std::function<bool()> leads = [] { return true; };
  };

  // `database` must outlive the loop.
  RetentionLoop(storage::Database* database, Options options);
  // Finishes the running transaction.
  ~RetentionLoop();
  RetentionLoop(const RetentionLoop&) = delete;
  RetentionLoop& operator=(const RetentionLoop&) = delete;

  // Call once.
  void Start();

  // Call after setting the clock: a turn that is due runs at once.
  void CheckClock() { thread_.CheckClock(); }

 private:
  // Completed work of a cluster.
  struct Done {
    absl::Time before = absl::InfinitePast();  // Everything before this is rolled up.
    absl::Time next_expiry = absl::InfinitePast();
  };
  // A cluster's id in an incarnation of the database (storage::Transaction), which differs for a
  // cluster created again or restored.
  using Key = std::pair<int64_t, int32_t>;

  void RollUpClusters();
  absl::Status RollUpCluster(const std::string& cluster, Done& done);
  absl::Status DeleteExpiredOf(const std::string& cluster, Done& done);
  // Waits as long as the transaction that started at `begin` took; false if the loop must stop.
  bool WaitAsLongAs(absl::Time begin);

  storage::Database* const database_;
  const Options options_;
  std::map<Key, Done> done_;  // Of the existing clusters. Used by the thread only.
  threads::PeriodicThread thread_;
};

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_RETENTION_LOOP_H_
