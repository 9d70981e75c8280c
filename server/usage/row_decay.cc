#include "server/usage/row_decay.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "server/configuration/stored_policy.h"
#include "server/configuration/stored_rows.h"
#include "storage/policy_store.h"
#include "storage/qos_store.h"
#include "storage/usage_reset_store.h"

namespace priorityd::usage {
namespace {

priority::UsageDecay Since(absl::Time manual_reset, const DecayRules& rules) {
  priority::ResetRule reset = rules.reset;
  reset.floor = std::max(reset.floor, manual_reset);
  return priority::UsageDecay(rules.timeline, reset);
}

}  // namespace

absl::StatusOr<DecayRules> DecayRulesOf(const storage::ClusterState& state) {
  const auto conf = configuration::ParseStored(state.policy);
  if (!conf.ok()) return conf.status();
  return DecayRulesOf(state, (*conf)->policy);
}

DecayRules DecayRulesOf(const storage::ClusterState& state, const priority::Policy& policy) {
  DecayRules rules;
  rules.timeline = configuration::TimelineOf(state.half_lives, policy);
  rules.reset = configuration::ResetRuleOf(policy, state.policy);
  for (const storage::UsageReset& reset : state.usage_resets) {
    rules.manual_resets[reset.association_id] = reset.reset_at;
  }
  for (const auto* list : {&state.qos, &state.deleted_qos}) {
    for (const storage::Qos& qos : *list) {
      if (configuration::HasFlag(qos, "NoDecay")) rules.no_decay_qos.insert(qos.id);
    }
  }
  return rules;
}

absl::StatusOr<DecayRules> ReadDecayRules(storage::Transaction& transaction, int32_t cluster_id) {
  storage::ClusterState state;
  auto policy = storage::PolicyStore(transaction).Newest(cluster_id);
  if (!policy.ok()) return policy.status();
  auto half_lives = storage::PolicyStore(transaction).HalfLives(cluster_id);
  if (!half_lives.ok()) return half_lives.status();
  auto resets = storage::UsageResetStore(transaction).List(cluster_id);
  if (!resets.ok()) return resets.status();
  auto qos = storage::QosStore(transaction).List(cluster_id);
  if (!qos.ok()) return qos.status();
  auto deleted_qos = storage::QosStore(transaction).ListDeleted(cluster_id);
  if (!deleted_qos.ok()) return deleted_qos.status();
  state.policy = *std::move(policy);
  state.half_lives = *std::move(half_lives);
  state.usage_resets = *std::move(resets);
  state.qos = *std::move(qos);
  state.deleted_qos = *std::move(deleted_qos);
  return DecayRulesOf(state);
}

RowDecay::RowDecay(DecayRules rules)
    : rules_(std::move(rules)),
      decay_(rules_.timeline, rules_.reset),
      reset_only_({}, rules_.reset) {
  for (const auto& [id, reset_at] : rules_.manual_resets) {
    since_reset_.try_emplace(reset_at, Since(reset_at, rules_));
  }
}

const priority::UsageDecay& RowDecay::OfAssociation(int64_t id) const {
  const auto reset = rules_.manual_resets.find(id);
  return reset == rules_.manual_resets.end() ? decay_ : since_reset_.at(reset->second);
}

const priority::UsageDecay& RowDecay::OfQos(int64_t id) const {
  return rules_.no_decay_qos.contains(id) ? reset_only_ : decay_;
}

}  // namespace priorityd::usage
