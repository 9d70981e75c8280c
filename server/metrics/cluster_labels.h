// The label `cluster`, with a bounded number of values.
#ifndef PRIORITYD_SERVER_METRICS_CLUSTER_LABELS_H_
#define PRIORITYD_SERVER_METRICS_CLUSTER_LABELS_H_

#include <cstddef>
#include <map>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/synchronization/mutex.h"
#include "server/metrics/families.h"

namespace priorityd::metrics {

// The first clusters get their own label value; all others share one. A cluster keeps its value
// until it is forgotten. Thread-safe.
class ClusterLabels {
 public:
  static constexpr size_t kMost = 100;
  static constexpr char kOther[] = "other";

  explicit ClusterLabels(size_t most = kMost) : most_(most) {}

  std::string Of(const std::string& cluster) ABSL_LOCKS_EXCLUDED(mutex_);

  // Frees the cluster's label value for another cluster.
  void Forget(const std::string& cluster) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  const size_t most_;
  absl::Mutex mutex_;
  absl::flat_hash_set<std::string> own_ ABSL_GUARDED_BY(mutex_);
};

// A figure per cluster; clusters that share a label value are exported as their sum, maximum or
// minimum. Thread-compatible.
class ClusterFigures {
 public:
  enum class Together { kSum, kLargest, kSmallest };

  // `labels` must outlive it.
  explicit ClusterFigures(ClusterLabels* labels, Together together = Together::kSum)
      : labels_(labels), together_(together) {}

  void Add(const std::string& cluster, double value);
  void AddTo(Family family) const;

 private:
  ClusterLabels* const labels_;
  const Together together_;
  std::map<std::string, double> by_label_;
};

}  // namespace priorityd::metrics

#endif  // PRIORITYD_SERVER_METRICS_CLUSTER_LABELS_H_
