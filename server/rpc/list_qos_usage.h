// ListQosUsage.
#ifndef PRIORITYD_SERVER_RPC_LIST_QOS_USAGE_H_
#define PRIORITYD_SERVER_RPC_LIST_QOS_USAGE_H_

#include "priority/v1/budget.pb.h"
#include "server/authorization/visibility.h"
#include "server/budgets/running_usage.h"
#include "server/priority/snapshot.h"

namespace priorityd::rpc {

// REQUIRES: Validate(request).
void ListQosUsage(const priority::Snapshot& snapshot, const budgets::RunningUsage& running,
                  const authorization::Visibility& sees,
                  const ::priority::v1::ListQosUsageRequest& request,
                  ::priority::v1::ListQosUsageResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_LIST_QOS_USAGE_H_
