// The ledger's size and age, the lag of standbys, frozen clusters, members of usage domains and
// price books, read periodically so that no scrape waits for the database.
#ifndef PRIORITYD_SERVER_METRICS_LEDGER_WATCH_H_
#define PRIORITYD_SERVER_METRICS_LEDGER_WATCH_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/metrics/cluster_labels.h"
#include "server/metrics/families.h"
#include "server/metrics/grant_metrics.h"
#include "server/metrics/snapshot_metrics.h"
#include "server/threads/clock.h"
#include "server/threads/periodic_thread.h"
#include "storage/database/database.h"
#include "storage/database/standby_store.h"
#include "storage/ledger/domain_store.h"
#include "storage/ledger/ledger_size_store.h"

namespace priorityd::metrics {

// Reads them on its own thread. While the database is unreachable, the last figures stay.
// Thread-safe, except Start and Stop.
class LedgerWatch {
 public:
  // `database` and `labels` must outlive it. `clock`: a real one.
  LedgerWatch(storage::Database* database, ClusterLabels* labels, threads::Clock clock,
              absl::Duration period);
  // Stops.
  ~LedgerWatch();
  LedgerWatch(const LedgerWatch&) = delete;
  LedgerWatch& operator=(const LedgerWatch&) = delete;

  // Call at most once.
  void Start();

  // The policies of `snapshots` determine how far ledgers should be rolled up at `now`, by the
  // site's clock, and whether domains stand still then.
  void AddTo(const Snapshots& snapshots, absl::Time now, Families* families)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Of the clusters that have some. Null before the first reading.
  std::shared_ptr<const ClusterPrices> prices() ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    return reading_.prices;
  }

 private:
  struct Reading {
    absl::Time read_at =
        absl::InfinitePast();  // By the clock; InfinitePast() before the first reading.
    storage::LedgerSize size;
    std::vector<storage::LedgerAge> ages;
    std::vector<storage::StandbyLag> standbys;
    int64_t frozen = 0;                          // Clusters.
    std::vector<storage::DomainMember> members;  // Of all usage domains.
    std::shared_ptr<const ClusterPrices> prices;
  };

  void Read() ABSL_LOCKS_EXCLUDED(mutex_);
  void AddAges(const Reading& reading, const Snapshots& snapshots, absl::Time now,
               Families* families);

  storage::Database* const database_;
  ClusterLabels* const labels_;
  const threads::Clock clock_;
  const absl::Duration period_;
  absl::Mutex mutex_;
  Reading reading_ ABSL_GUARDED_BY(mutex_);
  threads::PeriodicThread thread_;
};

}  // namespace priorityd::metrics

#endif  // PRIORITYD_SERVER_METRICS_LEDGER_WATCH_H_
