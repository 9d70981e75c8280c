// Metrics of this replica's recalculations.
#ifndef PRIORITYD_SERVER_METRICS_RECALCULATION_METRICS_H_
#define PRIORITYD_SERVER_METRICS_RECALCULATION_METRICS_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "server/measures/distribution.h"
#include "server/metrics/cluster_labels.h"
#include "server/metrics/families.h"
#include "server/recalculation/recalculation_report.h"

namespace priorityd::metrics {

// Counts them as they end. Thread-safe.
class RecalculationMetrics : public recalculation::RecalculationObserver {
 public:
  // `labels` must outlive it.
  explicit RecalculationMetrics(ClusterLabels* labels) : labels_(labels) {}

  void Recalculated(const recalculation::RecalculationReport& report) override
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Drops the counts of a cluster that has its own label value.
  void Forget(const std::string& cluster) ABSL_LOCKS_EXCLUDED(mutex_);

  void AddTo(Families* families) const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Counts {
    int64_t ok = 0;
    int64_t failed = 0;
  };

  ClusterLabels* const labels_;
  measures::Distribution read_{measures::SecondsBounds()};
  measures::Distribution compute_{measures::SecondsBounds()};
  measures::Distribution publish_{measures::SecondsBounds()};
  measures::Distribution lag_{measures::SecondsBounds()};
  mutable absl::Mutex mutex_;
  std::map<std::string, Counts> counts_ ABSL_GUARDED_BY(mutex_);  // By label.
};

}  // namespace priorityd::metrics

#endif  // PRIORITYD_SERVER_METRICS_RECALCULATION_METRICS_H_
