// Updates the site factors of tracked jobs after each recalculation.
#ifndef PRIORITYD_SERVER_SITE_FACTOR_SITE_FACTORS_H_
#define PRIORITYD_SERVER_SITE_FACTOR_SITE_FACTORS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/queue/replication/tracked_queues.h"
#include "server/site_factor/site_factor_service.h"
#include "server/threads/clock.h"
#include "server/threads/periodic_thread.h"

namespace priorityd::site_factor {

// Queries the service of PrioritySiteFactorPlugin after recalculations, never within one. Clusters
// do not wait for each other. Each has one round of queries at a time; after it, only the newest of
// the recalculations meanwhile gets another round. Logs once when the service fails, and once when
// it answers again. Thread-safe.
class SiteFactors {
 public:
  // Creates a connection to the service at host:port, which need not be reachable.
  using Connect = std::function<std::unique_ptr<SiteFactorService>(const std::string& address)>;

  // `queues` must outlive it. `clock`: the time of answers, for clusters on the real clock.
  SiteFactors(queue::TrackedQueues* queues, Connect connect, threads::Clock clock);
  // Ends running queries.
  ~SiteFactors();
  SiteFactors(const SiteFactors&) = delete;
  SiteFactors& operator=(const SiteFactors&) = delete;

  // Call after every recalculation: starts a round for a cluster on the real clock. Does not wait;
  // does nothing for clusters without a plugin and those on a manual clock.
  void AskOnRealClock(std::shared_ptr<const priority::Snapshot> snapshot);

  // Call after a recalculation on demand: on a manual clock, runs a round and waits for its end, so
  // that the queue is reproducible each time the clock is set. Otherwise does nothing.
  void RequestOnManualClock(std::shared_ptr<const priority::Snapshot> snapshot);

  // Call when a cluster has been deleted: ends its round and drops its kept data. Waits at most for
  // a call of the database.
  void Forget(const std::string& cluster);

 private:
  struct Cluster {
    // The last requested one; null = none yet.
    std::shared_ptr<const priority::Snapshot> wanted;
    // Counted here, since generations go back in a database that lost transactions.
    int64_t asked = 0;                           // The number of `wanted`.
    int64_t done = 0;                            // The number of the last round.
    std::shared_ptr<SiteFactorService> service;  // Of the running round.
    bool fails = false;
    bool ends = false;  // Forgotten, or all end.
    std::unique_ptr<threads::PeriodicThread> thread;
  };

  std::shared_ptr<Cluster> Want(std::shared_ptr<const priority::Snapshot> snapshot)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Cancels the queries of its round, and lets callers that wait for it return.
  void End(Cluster* cluster) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The input of a round.
  struct Wanted {
    int64_t number = 0;
    std::shared_ptr<const priority::Snapshot> snapshot;  // Null = no round is wanted.
  };

  // Runs a round, if one is wanted.
  absl::Time Turn(Cluster* cluster);
  // Connects to the service, if a round is wanted.
  Wanted BeginRound(Cluster* cluster);
  void DoRound(Cluster* cluster, const priority::Snapshot& snapshot);
  // Stores and logs the result of a round.
  void Conclude(Cluster* cluster, const priority::Snapshot& snapshot, bool answered,
                const std::string& failure);

  queue::TrackedQueues* const queues_;
  const Connect connect_;
  const threads::Clock clock_;

  absl::Mutex mutex_;
  absl::CondVar changed_;
  bool stops_ ABSL_GUARDED_BY(mutex_) = false;
  absl::flat_hash_map<std::string, std::shared_ptr<Cluster>> clusters_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::site_factor

#endif  // PRIORITYD_SERVER_SITE_FACTOR_SITE_FACTORS_H_
