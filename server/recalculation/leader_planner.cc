#include "server/recalculation/leader_planner.h"

#include "absl/strings/str_cat.h"
#include "server/recalculation/standings.h"

namespace priorityd::recalculation {

void LeaderPlanner::Plan(const storage::ClusterStanding& standing, bool leads_newly) {
  Schedule(standing, leads_newly);
  if (!standing.lacks_numbers) return;
  demands_->Add(
      absl::StrCat("numbers ", standing.name),
      {.cluster = standing.name, .as_of = {}, .done = {}, .numbers_of = standing.generation});
}

void LeaderPlanner::Schedule(const storage::ClusterStanding& standing, bool leads_newly) {
  const std::string& cluster = standing.name;
  const auto reflected = revisions_.find(cluster);
  if (reflected != revisions_.end() && reflected->second == standing.revision) return;
  absl::StatusOr<Timing> timing = ReadTiming(*database_, cluster);
  if (!timing.ok()) return;
  revisions_[cluster] = standing.revision;
  const bool manual = timing->policy.clock == priority::ClockMode::kManual;
  if (!registry_->Find(cluster).ok()) {
    // The replica that creates or changes a cluster without a snapshot requests the first one; this
    // covers a request that failed before this replica led.
    if (!leads_newly || (manual && !timing->computed_at.has_value())) return;
    demands_->Add(absl::StrCat("first ", cluster),
                  {.cluster = cluster, .as_of = {}, .done = {}, .numbers_of = {}});
  } else if (manual) {
    threads_->Remove(cluster);
  } else if (timing->computed_at.has_value()) {
    threads_->Add(cluster, *timing->computed_at, timing->policy.calc_period, timing->next_lease);
    // The leader that published the domain would have done so, and may have ended before.
    if (timing->lags_domain) threads_->Hasten(cluster);
  }
}

void LeaderPlanner::Forget(const std::string& cluster) {
  revisions_.erase(cluster);
  threads_->Remove(cluster);
}

void LeaderPlanner::ForgetAll() {
  revisions_.clear();
  threads_->Clear();
}

}  // namespace priorityd::recalculation
