// Transactions that change a cluster's configuration.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_FRAME_CONFIGURED_CLUSTER_H_
#define PRIORITYD_SERVER_ADMINISTRATION_FRAME_CONFIGURED_CLUSTER_H_

#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/priority/site/policy.h"
#include "server/usage/rule_change.h"
#include "storage/configuration/cluster_store.h"
#include "storage/configuration/policy_store.h"
#include "storage/database/database.h"
#include "storage/database/transaction.h"

namespace priorityd::administration {

// The principal of a change, and its time by the real clock.
struct ChangeContext {
  std::string principal;
  absl::Time now;
  bool validate_only = false;  // Do everything, then roll back.
};

// Runs `change` in one transaction; with validate_only it is rolled back.
absl::Status ChangeConfiguration(storage::Database& database, const ChangeContext& context,
                                 absl::FunctionRef<absl::Status(storage::Transaction&)> change);

// As ChangeConfiguration, for changes that may affect the rules of decay: `change` ends with
// usage::RuleChange::Finish and passes it `ahead`. Any required sum of the ledger is read between
// two attempts, without a lock.
absl::Status ChangeRules(
    storage::Database& database, const ChangeContext& context,
    absl::FunctionRef<absl::Status(storage::Transaction&, usage::SumAhead* ahead)> change);

struct OpenedCluster {
  storage::Cluster cluster;
  bool created = false;
};

// Locks the cluster until the end of the transaction. One that does not exist is
// created with a root account if `create`, else NOT_FOUND (UNKNOWN_CLUSTER).
absl::StatusOr<OpenedCluster> OpenCluster(storage::Transaction& transaction,
                                          const std::string& name, bool create);

// The time of a change that is made now: on a real clock `now`; on a manual clock that of the last
// recalculation, InfinitePast() before the first, which sets the clock.
absl::StatusOr<absl::Time> ClusterTime(storage::Transaction& transaction, int32_t cluster_id,
                                       priority::ClockMode clock, absl::Time now);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_FRAME_CONFIGURED_CLUSTER_H_
