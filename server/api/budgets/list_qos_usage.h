// ListQosUsage.
#ifndef PRIORITYD_SERVER_API_BUDGETS_LIST_QOS_USAGE_H_
#define PRIORITYD_SERVER_API_BUDGETS_LIST_QOS_USAGE_H_

#include "engine/priority/snapshot/snapshot.h"
#include "priority/v1/budget.pb.h"
#include "server/authorization/visibility.h"
#include "server/budgets/running_usage.h"

namespace priorityd::rpc {

// REQUIRES: Validate(request).
void ListQosUsage(const priority::Snapshot& snapshot, const budgets::RunningUsage& running,
                  const authorization::Visibility& sees,
                  const ::priority::v1::ListQosUsageRequest& request,
                  ::priority::v1::ListQosUsageResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_BUDGETS_LIST_QOS_USAGE_H_
