#include "server/metrics/recalculation_metrics.h"

#include "absl/time/time.h"
#include "server/recalculation/recalculation.h"

namespace priorityd::metrics {

void RecalculationMetrics::Recalculated(const recalculation::RecalculationReport& report) {
  // Another replica recalculates.
  if (recalculation::IsNotLeader(report.status)) return;
  if (!report.on_demand) lag_.Add(absl::ToDoubleSeconds(report.lag));
  if (report.status.ok()) {
    read_.Add(absl::ToDoubleSeconds(report.stages.read));
    compute_.Add(absl::ToDoubleSeconds(report.stages.compute));
    publish_.Add(absl::ToDoubleSeconds(report.stages.publish));
  }
  const std::string label = labels_->Of(report.cluster);
  absl::MutexLock lock(&mutex_);
  Counts& counts = counts_[label];
  ++(report.status.ok() ? counts.ok : counts.failed);
}

void RecalculationMetrics::Forget(const std::string& cluster) {
  absl::MutexLock lock(&mutex_);
  if (cluster != ClusterLabels::kOther) counts_.erase(cluster);
}

void RecalculationMetrics::AddTo(Families* families) const {
  families
      ->Histogram("priorityd_recalculation_duration_seconds",
                  "Duration of each stage of successful recalculations")
      .Add(read_.Read(), {{"stage", "read"}})
      .Add(compute_.Read(), {{"stage", "compute"}})
      .Add(publish_.Read(), {{"stage", "publish"}});
  families
      ->Histogram("priorityd_recalculation_lag_seconds",
                  "Delay between the due time of a recalculation and its start")
      .Add(lag_.Read());
  Family total = families->Counter("priorityd_recalculations_total",
                                   "Recalculations by this replica, by outcome");
  absl::MutexLock lock(&mutex_);
  for (const auto& [label, counts] : counts_) {
    total.Add(static_cast<double>(counts.ok), {{"cluster", label}, {"outcome", "ok"}});
    total.Add(static_cast<double>(counts.failed), {{"cluster", label}, {"outcome", "failed"}});
  }
}

}  // namespace priorityd::metrics
