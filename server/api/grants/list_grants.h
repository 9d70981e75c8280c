// ListGrants and GetGrantStatement.
#ifndef PRIORITYD_SERVER_API_GRANTS_LIST_GRANTS_H_
#define PRIORITYD_SERVER_API_GRANTS_LIST_GRANTS_H_

#include "absl/status/status.h"
#include "engine/priority/snapshot/snapshot.h"
#include "priority/v1/grant.pb.h"
#include "server/api/shared/administration_call.h"
#include "server/authorization/visibility.h"
#include "server/budgets/running_usage.h"
#include "storage/database/database.h"

namespace priorityd::rpc {

// Both have balances at the time of `snapshot`, by the ledger as its recalculation settled it.
// `running`: of the jobs of `snapshot`. A grant is shown to a caller who may see the usage of all
// its accounts, or of its user in them; for others it does not exist. NOT_FOUND (UNKNOWN_GRANT,
// UNKNOWN_CLUSTER); the errors of the database.
absl::Status ListGrants(const priority::Snapshot& snapshot, const budgets::RunningUsage& running,
                        storage::Database& database, const authorization::Visibility& sees,
                        const ::priority::v1::ListGrantsRequest& request,
                        ::priority::v1::ListGrantsResponse* response);
absl::Status GetGrantStatement(const priority::Snapshot& snapshot,
                               const budgets::RunningUsage& running, storage::Database& database,
                               const Caller& caller,
                               const ::priority::v1::GetGrantStatementRequest& request,
                               ::priority::v1::GetGrantStatementResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_GRANTS_LIST_GRANTS_H_
