// ListBudgetEvents.
#ifndef PRIORITYD_SERVER_RPC_LIST_BUDGET_EVENTS_H_
#define PRIORITYD_SERVER_RPC_LIST_BUDGET_EVENTS_H_

#include "absl/status/status.h"
#include "priority/v1/budget.pb.h"
#include "server/authorization/visibility.h"
#include "server/priority/snapshot.h"
#include "storage/database.h"

namespace priorityd::rpc {

// Of the budgets that the caller is shown; of a page some may be left out for that. REQUIRES:
// Validate(request). NOT_FOUND: no such cluster; UNAVAILABLE: the database.
absl::Status ListBudgetEvents(const priority::Snapshot& snapshot, storage::Database& database,
                              const authorization::Visibility& sees,
                              const ::priority::v1::ListBudgetEventsRequest& request,
                              ::priority::v1::ListBudgetEventsResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_LIST_BUDGET_EVENTS_H_
