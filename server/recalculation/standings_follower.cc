#include "server/recalculation/standings_follower.h"

#include <utility>

#include "server/recalculation/standings.h"

namespace priorityd::recalculation {

absl::Status StandingsFollower::Follow(const ClusterNames& names, std::optional<int64_t> epoch) {
  const Generations before = registry_->Generations();
  std::vector<std::string> known;
  for (const auto& [cluster, snapshot] : registry_->List()) known.push_back(cluster);
  const auto standings =
      names.has_value() ? ReadStandings(*database_, *names) : ReadStandings(*database_);
  if (!standings.ok()) return standings.status();
  const bool is_another = snapshots_.IsAnother(*standings, before);
  if (names.has_value() && (is_another || epoch != epoch_)) return Follow(std::nullopt, epoch);
  if (is_another) {
    snapshots_.StartOver(*standings);
    epoch_.reset();  // This replica then counts as a new leader.
  }
  registry_->SetMoved(standings->moved);
  for (const std::string& cluster : deleted_.Find(standings->clusters, names, known)) {
    ForgetCluster(cluster);
  }
  if (!names.has_value()) registry_->SetDeleted(standings->deleted);
  const bool leads_newly = SetEpoch(epoch);
  absl::Status status;
  for (const storage::ClusterStanding& standing : standings->clusters) {
    status.Update(FollowCluster(standing, leads_newly));
  }
  const bool lacks_numbers = snapshots_.TakeLacksNumbers();
  if (!names.has_value() && status.ok() && !lacks_numbers) registry_->Confirm();
  return status;
}

void StandingsFollower::ForgetCluster(const std::string& cluster) {
  registry_->Drop(cluster);
  snapshots_.ForgetInputs(cluster);
  planner_->Forget(cluster);
  worker_->ForgetInputs();
  if (options_.on_deleted != nullptr) options_.on_deleted(cluster);
  forgotten_.insert(cluster);
}

bool StandingsFollower::SetEpoch(std::optional<int64_t> epoch) {
  if (std::exchange(epoch_, epoch) == epoch) return false;
  worker_->ForgetInputs();
  snapshots_.ForgetInputs();
  planner_->ForgetAll();
  return epoch.has_value();
}

absl::Status StandingsFollower::FollowCluster(const storage::ClusterStanding& standing,
                                              bool leads_newly) {
  const bool leads = epoch_.has_value();
  registry_->Add(standing.name);
  const bool follows_deleted = forgotten_.erase(standing.name) > 0;
  absl::Status status;
  // The leader has its own publications already, or will at once.
  if (snapshots_.NeedsLoading(standing, leads && !leads_newly)) {
    status = snapshots_.Load(standing);
    if (leads) snapshots_.ForgetInputs(standing.name);
    const auto snapshot = registry_->Find(standing.name);
    if (leads && follows_deleted && snapshot.ok() && options_.on_recalculated != nullptr) {
      options_.on_recalculated(*snapshot);
    }
  }
  if (leads) planner_->Plan(standing, leads_newly);
  return status;
}

}  // namespace priorityd::recalculation
