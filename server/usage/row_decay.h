// The decay of a cluster's stored usage rows.
#ifndef PRIORITYD_SERVER_USAGE_ROW_DECAY_H_
#define PRIORITYD_SERVER_USAGE_ROW_DECAY_H_

#include <cstdint>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/priority/fair_share/usage_decay.h"
#include "engine/priority/site/policy.h"
#include "storage/database/transaction.h"
#include "storage/snapshots/cluster_state.h"

namespace priorityd::usage {

// The rules that, with the ledger, determine a row's value. Every stored row is valid under the
// stored rules: a change of the rules that affects existing rows must sum these up again in the
// same transaction.
struct DecayRules {
  std::vector<priority::HalfLifeChange> timeline;
  priority::ResetRule reset;  // The newest policy's, in force as soon as it is applied.
  absl::btree_map<int64_t, absl::Time> manual_resets;  // The last one, by association id.
  absl::btree_map<int64_t, absl::Time> qos_resets;     // The same, by QOS id.
  absl::btree_set<int64_t> no_decay_qos;
  bool operator==(const DecayRules&) const = default;
};

// The stored rules. INTERNAL for an invalid stored policy.
absl::StatusOr<DecayRules> DecayRulesOf(const storage::ClusterState& state);
// The same with `policy` parsed from the state's policy.
DecayRules DecayRulesOf(const storage::ClusterState& state, const priority::Policy& policy);
absl::StatusOr<DecayRules> ReadDecayRules(storage::Transaction& transaction, int32_t cluster_id);

// The decay of every row under given rules. Immutable, thread-safe.
class RowDecay {
 public:
  explicit RowDecay(DecayRules rules);

  const DecayRules& rules() const { return rules_; }

  // In addition to the policy's resets, usage before the association's last manual reset, the floor
  // of its reset rule, counts 0.
  const priority::UsageDecay& OfAssociation(int64_t id) const;
  // The same with the QOS's manual reset. With the flag NoDecay, usage is reset but does not decay.
  const priority::UsageDecay& OfQos(int64_t id) const;
  const priority::UsageDecay& Of(storage::UsageOf of, int64_t id) const {
    return of == storage::UsageOf::kAssociation ? OfAssociation(id) : OfQos(id);
  }

 private:
  // By manual reset; InfinitePast() = none.
  using Decays = absl::btree_map<absl::Time, priority::UsageDecay>;

  DecayRules rules_;
  Decays decays_;
  Decays no_decays_;  // For the flag NoDecay.
};

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_ROW_DECAY_H_
