#include "server/recalculation/computation.h"

#include <algorithm>
#include <utility>

#include "server/configuration/stored_policy.h"
#include "server/grants/domain_grants.h"
#include "server/recalculation/limit_inputs.h"
#include "server/recalculation/start_charge.h"
#include "server/usage/row_decay.h"
#include "server/usage/usage_columns.h"

namespace priorityd::recalculation {
namespace {

// R of SLURM 2.0's formula: cpus * half-life * 2; without decay cpus * the seconds since the last
// reset, or since the first policy.
double LinearCapacity(const priority::Cluster& cluster, const RecalculationInput& input) {
  const priority::Policy& policy = input.configuration->policy;
  if (policy.decays()) return cluster.cpus * absl::ToDoubleSeconds(policy.half_life) * 2;
  absl::Time since =
      priority::LastReset(configuration::ResetRuleOf(policy, input.state.policy), input.time);
  if (since == absl::InfinitePast()) {
    since = input.first_policy.has_value() ? input.first_policy->reset_anchor : since;
    if (since == absl::InfinitePast()) since = input.time;
  }
  return cluster.cpus * std::max(0.0, absl::ToDoubleSeconds(input.time - since));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const priority::Snapshot>> Compute(const RecalculationInput& input) {
  const storage::ClusterState& state = input.state;
  priority::SnapshotSource source = configuration::SourceOf(*input.configuration);
  source.generation = state.snapshot.has_value() ? state.snapshot->generation + 1 : 1;
  source.computed_at = input.time;
  usage::UsageColumns usage = usage::DecayTo(input.time, state, *source.tree, *source.decay);
  source.own_usage = std::move(usage.usage);
  source.own_tres_usage = std::move(usage.tres_seconds);
  source.own_wall_seconds = std::move(usage.wall_seconds);
  source.qos_usage = QosUsageAt(input.time, state, *source.decay);
  source.recorded_until = input.recorded_until;
  source.grants = input.standings;
  source.prices = input.prices;
  source.domain = input.domain;
  if (input.domain != nullptr) {
    absl::Status added =
        grants::AddDomainGrants(input.domain_grants, input.domain->domain(), &source.grants);
    if (!added.ok()) return added;
  }
  source.linear_capacity = LinearCapacity(source.cluster, input);
  if (input.started.empty()) return priority::Snapshot::Compute(std::move(source));
  // Jobs are resolved and priced by a snapshot without reserves.
  const std::unique_ptr<const priority::Snapshot> recorded = priority::Snapshot::Compute(source);
  const usage::RowDecay decay(usage::DecayRulesOf(state, input.configuration->policy));
  source.own_reserve = ReservesOf(*recorded, input.started, decay);
  return priority::Snapshot::Compute(std::move(source), recorded.get());
}

}  // namespace priorityd::recalculation
