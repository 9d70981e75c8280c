// All metrics of a replica.
#ifndef PRIORITYD_SERVER_METRICS_SERVICE_METRICS_H_
#define PRIORITYD_SERVER_METRICS_SERVICE_METRICS_H_

#include <prometheus/metric_family.h>

#include <functional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/api/priority_service.h"
#include "server/forecasts/books.h"
#include "server/metrics/call_metrics.h"
#include "server/metrics/capacity_metrics.h"
#include "server/metrics/cluster_labels.h"
#include "server/metrics/families.h"
#include "server/metrics/host_metrics.h"
#include "server/metrics/ledger_watch.h"
#include "server/metrics/recalculation_metrics.h"
#include "server/metrics/snapshot_metrics.h"
#include "server/queue/replication/tracked_queues.h"
#include "server/quotas/quota.h"
#include "server/recalculation/recalculation_loop.h"
#include "server/recalculation/snapshot_registry.h"
#include "server/threads/clock.h"
#include "server/threads/database_clock.h"
#include "server/transport/admission.h"
#include "server/usage/usage_recorder.h"
#include "storage/database/database.h"
#include "storage/database/report_database.h"

namespace priorityd::metrics {

// One condition of a replica's readiness.
struct HealthPart {
  const char* name;
  bool is_well;
  std::string reason;  // The reason that it is not well.
  // The service name of the gRPC health check that reports it; empty = the whole server.
  const char* service = "";
};

// The objects that a scrape measures.
struct Sources {
  const recalculation::SnapshotRegistry* registry;
  const recalculation::RecalculationLoop* loop;
  queue::TrackedQueues* queues;
  const forecasts::Books* forecasts;
  const usage::UsageRecorder* recorder;
  const rpc::Admission* admission;
  const rpc::PriorityService* service;
  storage::Database* database;
  const storage::ReportDatabase* reports;
  const threads::DatabaseClock* database_clock;
  threads::Clocks clocks;
  std::function<Pools()> pools;
  std::function<std::vector<quotas::Usage>()> quotas;
  std::function<std::vector<HealthPart>()> health;
  bool accounts = false;  // Also per account and user.
  Host host;
  absl::Duration ledger_period = absl::Seconds(15);
};

// Counts calls and recalculations as they end, and reads everything else at a scrape from published
// state: a scrape waits neither for a call nor for the database. Thread-safe, except Start.
class ServiceMetrics {
 public:
  // The parts that observe; separate because they are built before the sources: see Replica.
  struct Observers {
    ClusterLabels labels;
    CallMetrics calls;
    RecalculationMetrics recalculations{&labels};

    // Call when a cluster has been deleted.
    void Forget(const std::string& cluster) {
      recalculations.Forget(cluster);
      labels.Forget(cluster);
    }
  };
  // `observers` and the objects that the sources point to must outlive this.
  ServiceMetrics(Sources sources, Observers* observers);

  // Starts reading the ledger's size. Call once.
  void Start() { ledger_.Start(); }

  // Concurrent scrapes wait for each other.
  std::vector<prometheus::MetricFamily> Collect() ABSL_LOCKS_EXCLUDED(collecting_);

 private:
  void AddLeadership(const Snapshots& snapshots, Families* families);

  const Sources sources_;
  Observers* const observers_;
  SnapshotMetrics snapshots_;
  LedgerWatch ledger_;
  absl::Mutex collecting_;
};

}  // namespace priorityd::metrics

#endif  // PRIORITYD_SERVER_METRICS_SERVICE_METRICS_H_
