// ListBudgetEvents.
#ifndef PRIORITYD_SERVER_API_BUDGETS_LIST_BUDGET_EVENTS_H_
#define PRIORITYD_SERVER_API_BUDGETS_LIST_BUDGET_EVENTS_H_

#include "absl/status/status.h"
#include "engine/priority/snapshot/snapshot.h"
#include "priority/v1/budget.pb.h"
#include "server/authorization/visibility.h"
#include "storage/database/database.h"

namespace priorityd::rpc {

// Events of the budgets that the caller may see; a page may be shorter because of hidden ones.
// REQUIRES: Validate(request). NOT_FOUND: unknown cluster; UNAVAILABLE: the database.
absl::Status ListBudgetEvents(const priority::Snapshot& snapshot, storage::Database& database,
                              const authorization::Visibility& sees,
                              const ::priority::v1::ListBudgetEventsRequest& request,
                              ::priority::v1::ListBudgetEventsResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_BUDGETS_LIST_BUDGET_EVENTS_H_
