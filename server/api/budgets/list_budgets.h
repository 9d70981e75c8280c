// ListBudgets: the remaining amounts of limits on usage, and when they run out.
#ifndef PRIORITYD_SERVER_API_BUDGETS_LIST_BUDGETS_H_
#define PRIORITYD_SERVER_API_BUDGETS_LIST_BUDGETS_H_

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "engine/priority/snapshot/snapshot.h"
#include "priority/v1/budget.pb.h"
#include "server/authorization/visibility.h"
#include "server/budgets/running_usage.h"
#include "storage/database/database.h"

namespace priorityd::rpc {

// The budgets that the caller may see. The rate follows from the ledger's usage before `now`; a
// partition's own association has none, since records do not name it. REQUIRES: Validate(request).
// Errors of usage::ReportUsage; INVALID_ARGUMENT (INVALID_PAGE_TOKEN).
absl::Status ListBudgets(const priority::Snapshot& snapshot, const budgets::RunningUsage& running,
                         storage::Database& database, const authorization::Visibility& sees,
                         absl::Time now, const ::priority::v1::ListBudgetsRequest& request,
                         ::priority::v1::ListBudgetsResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_BUDGETS_LIST_BUDGETS_H_
