// Updates stored usage when the rules of decay change.
#ifndef PRIORITYD_SERVER_USAGE_RULE_CHANGE_H_
#define PRIORITYD_SERVER_USAGE_RULE_CHANGE_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/usage/ledger_sum.h"
#include "server/usage/row_decay.h"
#include "storage/database/database.h"
#include "storage/database/transaction.h"
#include "storage/ledger/usage_store.h"
#include "storage/snapshots/cluster_state.h"

namespace priorityd::usage {

// Applies the rules of the state's policy, which is not stored, to `state`: usage rows whose value
// differs under these rules are summed up again from the ledger. `before`: the stored rules, under
// which the stored rows are valid. REQUIRES: called in the Database::Read in which `state` was
// read.
absl::Status SupposeRules(storage::Transaction& transaction, const DecayRules& before,
                          storage::ClusterState* state);

// A sum over the ledger, read before the transaction that needs it and while usage is being
// recorded, so that nothing slow runs under the cluster's lock.
class SumAhead {
 public:
  // Whether a transaction failed, without writing, because it needed a sum that was not read.
  bool is_wanted() const { return is_wanted_; }
  // Reads the needed sum.
  absl::Status Read(storage::Database& database);

 private:
  friend class RuleChange;

  std::optional<LedgerSum> sum_;
  bool is_wanted_ = false;
  int reads_ = 0;
};

// A change of policies, half-lives or QOS in one transaction. A stored row is its value at as_of
// under the rules, so a row whose value differs under the new rules is summed up again from the
// ledger in the same transaction. Such changes are another timeline, a reset boundary within a row,
// or another NoDecay flag of its QOS.
class RuleChange {
 public:
  // Reads the rules before the change. REQUIRES: the cluster is locked by ClusterStore::Lock in
  // `transaction`.
  static absl::StatusOr<RuleChange> Begin(storage::Transaction& transaction, int32_t cluster_id);

  // Call after the change: writes the rows that must be summed up again. If `ahead` is not the
  // required sum, fails and marks `ahead` as wanted: call its Read and repeat the whole
  // transaction. If that failed twice because the new rules differ each time (a reset NOW while
  // usage is being recorded), reads the whole ledger under the lock.
  absl::Status Finish(storage::Transaction& transaction, SumAhead* ahead) const;

 private:
  RuleChange(int32_t cluster_id, DecayRules before)
      : cluster_id_(cluster_id), before_(std::move(before)) {}

  // The new rules if any row must be summed up again.
  absl::StatusOr<std::optional<DecayRules>> NeededSum(storage::Transaction& transaction) const;
  absl::StatusOr<bool> Fits(storage::Transaction& transaction, const SumAhead& ahead,
                            const DecayRules& needed) const;
  // Whether any row of that kind must be summed up again.
  absl::StatusOr<bool> AnyDiffers(storage::Transaction& transaction, storage::UsageOf of,
                                  const DecayRules& after) const;

  int32_t cluster_id_;
  DecayRules before_;
};

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_RULE_CHANGE_H_
