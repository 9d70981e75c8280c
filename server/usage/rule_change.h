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
#include "storage/database.h"
#include "storage/transaction.h"
#include "storage/usage_store.h"

namespace priorityd::usage {

// Does to `state` what the rules of its policy, which is not stored, would do to the
// stored rows: usage rows that other rules would have given another value are summed
// up again from the ledger. `before`: the stored rules, under which the rows are as
// they are stored. REQUIRES: in the Database::Read that `state` was read in.
absl::Status SupposeRules(storage::Transaction& transaction, const DecayRules& before,
                          storage::ClusterState* state);

// A sum over the ledger that is read ahead of the transaction that needs it, while usage is being
// recorded: nothing that takes long is done under the cluster's lock.
class SumAhead {
 public:
  // Whether a transaction needed a sum that was not read; it wrote nothing.
  bool is_wanted() const { return is_wanted_; }
  // Reads it.
  absl::Status Read(storage::Database& database);

 private:
  friend class RuleChange;

  std::optional<LedgerSum> sum_;
  bool is_wanted_ = false;
  int reads_ = 0;
};

// One change of policies, half-lives or QOS in one transaction. A row holds at its
// as_of under the rules, so a row that other rules would have given another value
// is summed up again from the ledger in the same transaction: another timeline, a
// reset boundary that a row straddles, another NoDecay flag of its QOS.
class RuleChange {
 public:
  // Remembers the rules before the change. REQUIRES: the cluster is locked by
  // ClusterStore::Lock in `transaction`.
  static absl::StatusOr<RuleChange> Begin(storage::Transaction& transaction, int32_t cluster_id);

  // After the change: writes the rows that must be summed up again. Where `ahead` is not the sum
  // that this takes, an error, and `ahead` is wanted: let it Read and do it all again. Where that
  // did not help twice, as the new rules are others each time (a reset NOW while usage is being
  // recorded), all of the ledger is read under the lock.
  absl::Status Finish(storage::Transaction& transaction, SumAhead* ahead) const;

 private:
  RuleChange(int32_t cluster_id, DecayRules before)
      : cluster_id_(cluster_id), before_(std::move(before)) {}

  // The new rules if any row must be summed up again by them.
  absl::StatusOr<std::optional<DecayRules>> NeededSum(storage::Transaction& transaction) const;
  absl::StatusOr<bool> Fits(storage::Transaction& transaction, const SumAhead& ahead,
                            const DecayRules& needed) const;
  // Whether any row of that kind must.
  absl::StatusOr<bool> AnyDiffers(storage::Transaction& transaction, storage::UsageOf of,
                                  const DecayRules& after) const;

  int32_t cluster_id_;
  DecayRules before_;
};

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_RULE_CHANGE_H_
