// Validation of PlanStarts and SuggestPreemption, independent of any cluster.
#ifndef PRIORITYD_SERVER_API_PLANS_VALIDATE_PLAN_H_
#define PRIORITYD_SERVER_API_PLANS_VALIDATE_PLAN_H_

#include "absl/status/status.h"
#include "priority/v1/plan.pb.h"
#include "server/transport/request_limits.h"

namespace priorityd::rpc {

inline constexpr int kMaxPlannedNodes = 100'000;
inline constexpr uint32_t kMaxJobTest = 10'000;

// INVALID_ARGUMENT with the violations.
absl::Status Validate(const ::priority::v1::PlanStartsRequest& request,
                      const RequestLimits& limits);
absl::Status Validate(const ::priority::v1::SuggestPreemptionRequest& request,
                      const RequestLimits& limits);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_PLANS_VALIDATE_PLAN_H_
