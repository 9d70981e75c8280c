// Asks for the site factors of tracked jobs as often as fair-share is computed.
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
#include "server/priority/snapshot.h"
#include "server/queue/replication/tracked_queues.h"
#include "server/site_factor/site_factor_service.h"
#include "server/threads/clock.h"
#include "server/threads/periodic_thread.h"

namespace priorityd::site_factor {

// Asks the service of PrioritySiteFactorPlugin after recalculations, never within
// one. Clusters do not wait for each other; each has one round of questions at a
// time, and of the recalculations meanwhile the newest is followed by another one.
// That the service fails, and that it answers again, is logged once each.
// Thread-safe.
class SiteFactors {
 public:
  // A new connection to the service at host:port; need not reach it.
  using Connect = std::function<std::unique_ptr<SiteFactorService>(const std::string& address)>;

  // `queues` must outlive it. `clock`: when the service answered, for clusters on the
  // real clock.
  SiteFactors(queue::TrackedQueues* queues, Connect connect, threads::Clock clock);
  // Ends the questions at work.
  ~SiteFactors();
  SiteFactors(const SiteFactors&) = delete;
  SiteFactors& operator=(const SiteFactors&) = delete;

  // A cluster was recalculated by its schedule or by hand: on a real clock its service is
  // asked. Returns at once; does nothing for clusters without a plugin and those on a
  // manual clock.
  void AskOnRealClock(std::shared_ptr<const priority::Snapshot> snapshot);

  // A cluster was recalculated by hand: on a manual clock its service is asked, and
  // this returns when that is done, so that the queue is the same each time the clock is
  // set. Else it does nothing.
  void AskOnManualClock(std::shared_ptr<const priority::Snapshot> snapshot);

 private:
  struct Cluster {
    // The last one that was asked for; null = none was yet.
    std::shared_ptr<const priority::Snapshot> wanted;
    // Counted here: generations go back with a database that lost transactions.
    int64_t asked = 0;                           // The number of `wanted`.
    int64_t done = 0;                            // That of the last round.
    std::shared_ptr<SiteFactorService> service;  // Of the round at work.
    bool fails = false;
    std::unique_ptr<threads::PeriodicThread> thread;
  };

  Cluster& Want(std::shared_ptr<const priority::Snapshot> snapshot)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // What a round is for.
  struct Wanted {
    int64_t number = 0;
    std::shared_ptr<const priority::Snapshot> snapshot;  // Null = no round is wanted.
  };

  // One round, if one is wanted.
  absl::Time Turn(Cluster* cluster);
  // Connects to the service, if a round is wanted.
  Wanted BeginRound(Cluster* cluster);
  void DoRound(Cluster* cluster, const priority::Snapshot& snapshot);
  // Stores and logs how a round ended.
  void Conclude(Cluster* cluster, const priority::Snapshot& snapshot, bool answered,
                const std::string& failure);

  queue::TrackedQueues* const queues_;
  const Connect connect_;
  const threads::Clock clock_;

  absl::Mutex mutex_;
  absl::CondVar changed_;
  bool stops_ ABSL_GUARDED_BY(mutex_) = false;
  absl::flat_hash_map<std::string, std::unique_ptr<Cluster>> clusters_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::site_factor

#endif  // PRIORITYD_SERVER_SITE_FACTOR_SITE_FACTORS_H_
