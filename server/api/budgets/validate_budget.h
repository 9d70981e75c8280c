// Validation of requests about budgets and costs, independent of any cluster.
#ifndef PRIORITYD_SERVER_API_BUDGETS_VALIDATE_BUDGET_H_
#define PRIORITYD_SERVER_API_BUDGETS_VALIDATE_BUDGET_H_

#include "absl/status/status.h"
#include "priority/v1/budget.pb.h"
#include "server/transport/request_limits.h"

namespace priorityd::rpc {

// INVALID_ARGUMENT with the violations.
absl::Status Validate(const ::priority::v1::ListQosUsageRequest& request);
absl::Status Validate(const ::priority::v1::ListBudgetsRequest& request);
absl::Status Validate(const ::priority::v1::ListBudgetEventsRequest& request);
absl::Status Validate(const ::priority::v1::EstimateJobCostRequest& request,
                      const RequestLimits& limits);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_BUDGETS_VALIDATE_BUDGET_H_
