// Stored usage follows the rules of decay when these change.
#ifndef PRIORITYD_SERVER_USAGE_RULE_CHANGE_H_
#define PRIORITYD_SERVER_USAGE_RULE_CHANGE_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/usage/ledger_sum.h"
#include "server/usage/row_decay.h"
#include "storage/cluster_state.h"
#include "storage/transaction.h"

namespace priorityd::usage {

// Does to `state` what the rules of its policy, which is not stored, would do to the
// stored rows: usage rows that other rules would have given another value are summed
// up again from the ledger. `before`: the stored rules, under which the rows are as
// they are stored. REQUIRES: in the Database::Read that `state` was read in.
absl::Status SupposeRules(storage::Transaction& transaction, const DecayRules& before,
                          storage::ClusterState* state);

// One change of policies, half-lives or QOS in one transaction. A row holds at its
// as_of under the rules, so a row that other rules would have given another value
// is summed up again from the ledger in the same transaction: another timeline, a
// reset boundary that a row straddles, another NoDecay flag.
class RuleChange {
 public:
  // Remembers the rules before the change. REQUIRES: the cluster is locked by
  // ClusterStore::Lock in `transaction`.
  static absl::StatusOr<RuleChange> Begin(storage::Transaction& transaction, int32_t cluster_id);

  // After the change: the new rules if any row must be summed up again by them.
  absl::StatusOr<std::optional<DecayRules>> NeededSum(storage::Transaction& transaction) const;

  // After the change: sums up and writes what must be. `prepared` (may be null) has
  // read ahead and is used if it is of the new rules and not stale; else all of the ledger is
  // read under the cluster's lock.
  absl::Status Finish(storage::Transaction& transaction, const LedgerSum* prepared) const;

 private:
  RuleChange(int32_t cluster_id, DecayRules before)
      : cluster_id_(cluster_id), before_(std::move(before)) {}

  int32_t cluster_id_;
  DecayRules before_;
};

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_RULE_CHANGE_H_
