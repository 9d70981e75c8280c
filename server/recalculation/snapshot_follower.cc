#include "server/recalculation/snapshot_follower.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace priorityd::recalculation {

bool SnapshotFollower::IsAnother(const Standings& standings, const Generations& before) const {
  if (standings.incarnation != incarnation_) return true;
  return std::any_of(standings.clusters.begin(), standings.clusters.end(),
                     [&](const storage::ClusterStanding& standing) {
                       const auto known = before.find(standing.name);
                       return known != before.end() && known->second > standing.generation;
                     });
}

void SnapshotFollower::StartOver(const Standings& standings) {
  incarnation_ = standings.incarnation;
  std::vector<std::string> names;
  for (const storage::ClusterStanding& standing : standings.clusters) {
    names.push_back(standing.name);
  }
  registry_->Keep(names);
  unknown_.insert(names.begin(), names.end());
  loader_.Forget();
}

bool SnapshotFollower::NeedsLoading(const storage::ClusterStanding& standing, bool may_lag) const {
  if (unknown_.contains(standing.name)) return true;
  const auto current = registry_->Find(standing.name);
  if (!current.ok()) return standing.generation > 0;
  return !may_lag && (*current)->generation() < standing.generation;
}

absl::Status SnapshotFollower::Load(const storage::ClusterStanding& standing) {
  if (standing.generation > 0) return Register(standing, loader_.Load(standing.name));
  registry_->Forget(standing.name);
  unknown_.erase(standing.name);
  return absl::OkStatus();
}

absl::Status SnapshotFollower::Register(const storage::ClusterStanding& standing,
                                        SnapshotLoader::MaybeSnapshot loaded) {
  if (loaded.ok() && *loaded == nullptr) {
    spdlog::warn(
        "{}: snapshot {}: this replica computes other values than the leader, which has another "
        "version or processor: it waits for the leader's values",
        standing.name, standing.generation);
    lacks_numbers_ = true;
    ++mismatches_;
    return absl::OkStatus();
  }
  if (loaded.ok()) {
    const bool unknown = unknown_.erase(standing.name) > 0;
    unknown ? registry_->Replace(*std::move(loaded)) : registry_->Publish(*std::move(loaded));
    return absl::OkStatus();
  }
  // The snapshot is older than stored values; the leader makes another one.
  if (absl::IsNotFound(loaded.status())) return absl::OkStatus();
  if (absl::IsInternal(loaded.status())) {
    spdlog::error("{}: snapshot {} cannot be loaded: {}", standing.name, standing.generation,
                  loaded.status().ToString());
  }
  return loaded.status();
}

}  // namespace priorityd::recalculation
