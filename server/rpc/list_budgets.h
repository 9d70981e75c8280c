// ListBudgets: what is left of limits on usage, and when they run out.
#ifndef PRIORITYD_SERVER_RPC_LIST_BUDGETS_H_
#define PRIORITYD_SERVER_RPC_LIST_BUDGETS_H_

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "priority/v1/budget.pb.h"
#include "server/authorization/visibility.h"
#include "server/budgets/running_usage.h"
#include "server/priority/snapshot.h"
#include "storage/database.h"

namespace priorityd::rpc {

// Of the budgets that the caller is shown. The rate is what the ledger has of the time before
// `now`; of a partition's own association, which its records do not name, there is none.
// REQUIRES: Validate(request). Errors of usage::ReportUsage; INVALID_ARGUMENT (INVALID_PAGE_TOKEN).
absl::Status ListBudgets(const priority::Snapshot& snapshot, const budgets::RunningUsage& running,
                         storage::Database& database, const authorization::Visibility& sees,
                         absl::Time now, const ::priority::v1::ListBudgetsRequest& request,
                         ::priority::v1::ListBudgetsResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_LIST_BUDGETS_H_
