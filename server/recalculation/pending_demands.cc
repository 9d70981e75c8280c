#include "server/recalculation/pending_demands.h"

#include <utility>

namespace priorityd::recalculation {

void PendingDemands::Add(const std::string& key, Demand demand) {
  {
    absl::MutexLock lock(&mutex_);
    if (!keys_.insert(key).second) return;
  }
  demand.done = [this, key, then = std::move(demand.done)](const SnapshotOr& snapshot) {
    if (then != nullptr) then(snapshot);
    absl::MutexLock lock(&mutex_);
    keys_.erase(key);
  };
  threads_->Ask(std::move(demand));
}

void PendingDemands::AwaitNone() {
  const auto is_done = [this] {
    mutex_.AssertReaderHeld();
    return keys_.empty();
  };
  absl::MutexLock lock(&mutex_, absl::Condition(&is_done));
}

}  // namespace priorityd::recalculation
