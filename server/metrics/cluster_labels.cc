#include "server/metrics/cluster_labels.h"

#include <algorithm>

namespace priorityd::metrics {

std::string ClusterLabels::Of(const std::string& cluster) {
  absl::MutexLock lock(&mutex_);
  if (own_.contains(cluster)) return cluster;
  if (own_.size() >= most_) return kOther;
  own_.insert(cluster);
  return cluster;
}

void ClusterLabels::Forget(const std::string& cluster) {
  absl::MutexLock lock(&mutex_);
  own_.erase(cluster);
}

void ClusterFigures::Add(const std::string& cluster, double value) {
  const auto [figure, is_new] = by_label_.try_emplace(labels_->Of(cluster), value);
  if (is_new) return;
  switch (together_) {
    case Together::kSum:
      figure->second += value;
      break;
    case Together::kLargest:
      figure->second = std::max(figure->second, value);
      break;
    case Together::kSmallest:
      figure->second = std::min(figure->second, value);
      break;
  }
}

void ClusterFigures::AddTo(Family family) const {
  for (const auto& [label, value] : by_label_) family.Add(value, {{"cluster", label}});
}

}  // namespace priorityd::metrics
