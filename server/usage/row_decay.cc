#include "server/usage/row_decay.h"

#include <algorithm>
#include <utility>

#include "server/configuration/stored_policy.h"
#include "server/configuration/stored_rows.h"
#include "storage/configuration/policy_store.h"
#include "storage/configuration/qos_store.h"
#include "storage/ledger/usage_reset_store.h"

namespace priorityd::usage {
namespace {

// The manual reset of `id`.
absl::Time ResetOf(const absl::btree_map<int64_t, absl::Time>& resets, int64_t id) {
  const auto found = resets.find(id);
  return found == resets.end() ? absl::InfinitePast() : found->second;
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
      if (qos.usage_reset_at.has_value()) rules.qos_resets[qos.id] = *qos.usage_reset_at;
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

RowDecay::RowDecay(DecayRules rules) : rules_(std::move(rules)) {
  const auto add = [&](absl::Time manual_reset) {
    priority::ResetRule reset = rules_.reset;
    if (manual_reset > reset.floor) {
      reset.floor = manual_reset;
      reset.floor_from = absl::InfiniteFuture();
    }
    decays_.try_emplace(manual_reset, rules_.timeline, reset);
    no_decays_.try_emplace(manual_reset, DecayRules().timeline, reset);
  };
  add(absl::InfinitePast());
  for (const auto& [id, reset_at] : rules_.manual_resets) add(reset_at);
  for (const auto& [id, reset_at] : rules_.qos_resets) add(reset_at);
}

const priority::UsageDecay& RowDecay::OfAssociation(int64_t id) const {
  return decays_.at(ResetOf(rules_.manual_resets, id));
}

const priority::UsageDecay& RowDecay::OfQos(int64_t id) const {
  const Decays& decays = rules_.no_decay_qos.contains(id) ? no_decays_ : decays_;
  return decays.at(ResetOf(rules_.qos_resets, id));
}

}  // namespace priorityd::usage
