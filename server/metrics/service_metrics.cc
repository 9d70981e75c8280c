#include "server/metrics/service_metrics.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "server/metrics/account_metrics.h"
#include "server/metrics/forecast_metrics.h"
#include "server/metrics/grant_metrics.h"
#include "server/metrics/host_metrics.h"
#include "server/metrics/ingest_metrics.h"
#include "server/metrics/job_counts.h"
#include "server/metrics/process_metrics.h"

namespace priorityd::metrics {
namespace {

Databases DatabasesOf(const Sources& sources) {
  Databases databases = {{"calls", sources.database},
                         {"recalculations", &sources.loop->recalculations()}};
  if (sources.reports->standby() != nullptr) {
    databases.emplace_back("reports", sources.reports->standby());
  }
  return databases;
}

}  // namespace

ServiceMetrics::ServiceMetrics(Sources sources, Observers* observers)
    : sources_(std::move(sources)),
      observers_(observers),
      snapshots_(&observers->labels),
      ledger_(sources_.database, &observers->labels, sources_.clocks.real, sources_.ledger_period) {
}

void ServiceMetrics::AddLeadership(const Snapshots& snapshots, Families* families) {
  families->Gauge("priorityd_leader", "1 if this replica leads and recalculates")
      .Add(sources_.loop->leads() ? 1 : 0);
  families
      ->Gauge("priorityd_clock_offset_seconds",
              "Lower bound by which this host's clock is ahead of the database's")
      .Add(absl::ToDoubleSeconds(sources_.database_clock->HostIsAhead()));
  families
      ->Gauge("priorityd_snapshot_stale_seconds",
              "Time since the database last confirmed that the snapshots are the newest")
      .Add(absl::ToDoubleSeconds(sources_.registry->StaleFor()));
  families
      ->Counter("priorityd_snapshot_mismatches_total",
                "Snapshots for which this replica computed other values than the leader")
      .Add(static_cast<double>(sources_.loop->mismatches()));
  Family healthy = families->Gauge(
      "priorityd_healthy", "1 if the part is healthy, as in /readyz and gRPC health checks");
  for (const HealthPart& part : sources_.health()) {
    healthy.Add(part.is_well ? 1 : 0, {{"part", part.name}});
  }
  const absl::Time now = sources_.clocks.site();
  ClusterFigures overdue(&observers_->labels, ClusterFigures::Together::kLargest);
  for (const auto& [cluster, snapshot] : snapshots) {
    const std::optional<absl::Time> due = sources_.loop->DueAt(cluster);
    if (due.has_value()) overdue.Add(cluster, std::max(0.0, absl::ToDoubleSeconds(now - *due)));
  }
  overdue.AddTo(families->Gauge("priorityd_recalculation_overdue_seconds",
                                "Time since a recalculation was due; only the leader reports it"));
}

std::vector<prometheus::MetricFamily> ServiceMetrics::Collect() {
  absl::MutexLock lock(&collecting_);
  const Snapshots snapshots = sources_.registry->List();
  const absl::Time now = sources_.clocks.site();
  ClusterLabels* const labels = &observers_->labels;
  Families families;
  observers_->calls.AddTo(&families);
  AddClients(*sources_.admission, *sources_.service, &families);
  AddPools(sources_.pools(), &families);
  AddQuotas(sources_.quotas(), &families);
  AddLeadership(snapshots, &families);
  observers_->recalculations.AddTo(&families);
  snapshots_.AddTo(snapshots, now, &families);
  AddTrackedJobs(*sources_.queues, now, labels, &families);
  AddForecasts(*sources_.forecasts, labels, &families);
  AddGrants(snapshots, labels, &families);
  AddIngest(*sources_.recorder, snapshots, labels, &families);
  ledger_.AddTo(snapshots, now, &families);
  AddDatabases(DatabasesOf(sources_), &families);
  AddReports(*sources_.reports, &families);
  if (sources_.accounts) {
    AddAccounts(snapshots, &families);
    AddGrantRows(snapshots, sources_.queues->Loaded(), ledger_.prices().get(), &families);
  }
  AddHost(sources_.host, &families);
  AddProcess(&families);
  return std::move(families).Take();
}

}  // namespace priorityd::metrics
