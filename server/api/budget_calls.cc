// The RPCs of PriorityService for shares, budgets, grants and costs.
#include <memory>

#include "server/api/budgets/estimate_job_cost.h"
#include "server/api/budgets/list_budget_events.h"
#include "server/api/budgets/list_budgets.h"
#include "server/api/budgets/list_qos_usage.h"
#include "server/api/budgets/validate_budget.h"
#include "server/api/grants/list_grants.h"
#include "server/api/grants/validate_grants.h"
#include "server/api/priority_service.h"
#include "server/api/shares/list_shares.h"
#include "server/api/shares/validate_shares.h"
#include "server/authorization/rights_table.h"
#include "server/messages/view.h"
#include "server/transport/call.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using authorization::Rpc;

}  // namespace

template <typename Request, typename Answer>
absl::Status PriorityService::WithRunningUsage(const Request& request, const Answer& answer) const {
  const auto state = options_.queues->State(View(request.cluster()));
  if (!state.ok()) return state.status();
  const auto running = running_usages_.Of(*state);
  return answer(**state, *running);
}

absl::Status PriorityService::Shares(const Caller& caller, const v1::ListSharesRequest& request,
                                     v1::ListSharesResponse* response) const {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  // Shares are returned even if the queue cannot be read, but then without running jobs.
  const auto state = options_.queues->State(View(request.cluster()));
  if (!state.ok() && !absl::IsUnavailable(state.status())) return state.status();
  const auto running =
      state.ok() ? running_usages_.Of(*state) : std::make_shared<const budgets::RunningUsage>();
  const absl::Status listed =
      rpc::ListShares(*options_.registry, caller.sees(), share_lists_, *running, request, response);
  if (listed.ok()) SetStaleness(response->mutable_snapshot());
  return listed;
}

absl::Status PriorityService::QosUsage(const Caller& caller, const v1::ListQosUsageRequest& request,
                                       v1::ListQosUsageResponse* response) const {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  absl::Status listed = WithRunningUsage(
      request, [&](const queue::QueueState& state, const budgets::RunningUsage& running) {
        rpc::ListQosUsage(state.snapshot(), running, caller.sees(), request, response);
        return absl::OkStatus();
      });
  if (listed.ok()) SetStaleness(response->mutable_snapshot());
  return listed;
}

absl::Status PriorityService::Budgets(const Caller& caller, const v1::ListBudgetsRequest& request,
                                      v1::ListBudgetsResponse* response) const {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  absl::Status listed = WithRunningUsage(
      request, [&](const queue::QueueState& state, const budgets::RunningUsage& running) {
        return rpc::ListBudgets(state.snapshot(), running, *options_.database, caller.sees(),
                                Now(state.snapshot()), request, response);
      });
  if (listed.ok()) SetStaleness(response->mutable_snapshot());
  return listed;
}

absl::Status PriorityService::Grants(const Caller& caller, const v1::ListGrantsRequest& request,
                                     v1::ListGrantsResponse* response) const {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  absl::Status listed = WithRunningUsage(
      request, [&](const queue::QueueState& state, const budgets::RunningUsage& running) {
        return rpc::ListGrants(state.snapshot(), running, *options_.database, caller.sees(),
                               request, response);
      });
  if (listed.ok()) SetStaleness(response->mutable_snapshot());
  return listed;
}

absl::Status PriorityService::GrantStatement(const Caller& caller,
                                             const v1::GetGrantStatementRequest& request,
                                             v1::GetGrantStatementResponse* response) const {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  absl::Status listed = WithRunningUsage(
      request, [&](const queue::QueueState& state, const budgets::RunningUsage& running) {
        return rpc::GetGrantStatement(state.snapshot(), running, *options_.database, caller,
                                      request, response);
      });
  if (listed.ok()) SetStaleness(response->mutable_snapshot());
  return listed;
}

absl::Status PriorityService::BudgetEvents(const Caller& caller,
                                           const v1::ListBudgetEventsRequest& request,
                                           v1::ListBudgetEventsResponse* response) const {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const auto snapshot = options_.registry->Find(View(request.cluster()));
  if (!snapshot.ok()) return snapshot.status();
  return rpc::ListBudgetEvents(**snapshot, *options_.database, caller.sees(), request, response);
}

absl::Status PriorityService::JobCost(const Caller& caller,
                                      const v1::EstimateJobCostRequest& request,
                                      v1::EstimateJobCostResponse* response) const {
  if (absl::Status s = Validate(request, options_.limits); !s.ok()) return s;
  absl::Status estimated = WithRunningUsage(
      request, [&](const queue::QueueState& state, const budgets::RunningUsage& running) {
        return rpc::EstimateJobCost(caller, state, running, *options_.database, request, response);
      });
  if (estimated.ok()) SetStaleness(response->mutable_snapshot());
  return estimated;
}

}  // namespace priorityd::rpc
