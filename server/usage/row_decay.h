// How the stored usage rows of a cluster count.
#ifndef PRIORITYD_SERVER_USAGE_ROW_DECAY_H_
#define PRIORITYD_SERVER_USAGE_ROW_DECAY_H_

#include <cstdint>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/priority/policy.h"
#include "server/priority/usage_decay.h"
#include "storage/cluster_state.h"
#include "storage/transaction.h"

namespace priorityd::usage {

// What a row's value follows from, besides the ledger. Every row holds under the
// stored rules: whoever changes them in a way that matters to rows that are there
// sums those up again in the same transaction.
struct DecayRules {
  std::vector<priority::HalfLifeChange> timeline;
  priority::ResetRule reset;  // The newest policy's, from the moment it is applied.
  absl::btree_map<int64_t, absl::Time> manual_resets;  // The last, by association id.
  absl::btree_map<int64_t, absl::Time> qos_resets;     // The same, by QOS id.
  absl::btree_set<int64_t> no_decay_qos;
  bool operator==(const DecayRules&) const = default;
};

// The rules as stored. INTERNAL if a stored policy can no longer be read.
absl::StatusOr<DecayRules> DecayRulesOf(const storage::ClusterState& state);
// The same where `policy` is what the text of the state's policy says.
DecayRules DecayRulesOf(const storage::ClusterState& state, const priority::Policy& policy);
absl::StatusOr<DecayRules> ReadDecayRules(storage::Transaction& transaction, int32_t cluster_id);

// The decay of every row under some rules. Immutable, thread-safe.
class RowDecay {
 public:
  explicit RowDecay(DecayRules rules);

  const DecayRules& rules() const { return rules_; }

  // Besides the policy's resets usage before the association's own last manual
  // reset counts 0: the floor of its reset rule.
  const priority::UsageDecay& OfAssociation(int64_t id) const;
  // The same by the QOS's own. Under the flag NoDecay usage is reset, but does not decay.
  const priority::UsageDecay& OfQos(int64_t id) const;
  const priority::UsageDecay& Of(storage::UsageOf of, int64_t id) const {
    return of == storage::UsageOf::kAssociation ? OfAssociation(id) : OfQos(id);
  }

 private:
  // By manual reset, the infinite past for none.
  using Decays = absl::btree_map<absl::Time, priority::UsageDecay>;

  DecayRules rules_;
  Decays decays_;
  Decays no_decays_;  // For the flag NoDecay.
};

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_ROW_DECAY_H_
