#include "server/recalculation/news.h"

namespace priorityd::recalculation {

void News::Add(const storage::Notification& notification) {
  switch (notification.subject) {
    case storage::Subject::kAnything:
      everything_ = true;
      break;
    case storage::Subject::kConfiguration:
    case storage::Subject::kNumbers:
      changed_.insert(notification.cluster);
      break;
    case storage::Subject::kSnapshot:
      published_.insert(notification.cluster);
      break;
    case storage::Subject::kRequest:
      requests_ = true;
      break;
    case storage::Subject::kAnswer:
      break;
    case storage::Subject::kHaste:
      hastened_.insert(notification.cluster);
      break;
    case storage::Subject::kQueue:
      queues_.insert(notification.cluster);
      break;
  }
}

ClusterNames News::Changed(bool leads) const {
  if (everything_) return std::nullopt;
  absl::btree_set<std::string> names = changed_;
  if (!leads) names.insert(published_.begin(), published_.end());
  return names;
}

ClusterNames News::Queues(bool leads) const {
  if (everything_) return std::nullopt;
  absl::btree_set<std::string> names = queues_;
  if (!leads) names.insert(published_.begin(), published_.end());
  return names;
}

}  // namespace priorityd::recalculation
