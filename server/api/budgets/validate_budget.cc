#include "server/api/budgets/validate_budget.h"

#include "absl/strings/str_cat.h"
#include "server/messages/request_violations.h"

namespace priorityd::rpc {

namespace v1 = ::priority::v1;

absl::Status Validate(const v1::ListQosUsageRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  violations.CheckTexts("qos", request.qos());
  return violations.ToStatus();
}

absl::Status Validate(const v1::ListBudgetsRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  violations.CheckTexts("accounts", request.accounts());
  violations.CheckTexts("users", request.users());
  violations.CheckTexts("qos", request.qos());
  violations.CheckPage(request);
  if (request.has_rate_window()) {
    violations.CheckDuration("rate_window", request.rate_window(), kLeastWindow, kMostWindow);
  }
  return violations.ToStatus();
}

absl::Status Validate(const v1::ListBudgetEventsRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  violations.CheckTexts("accounts", request.accounts());
  violations.CheckTexts("users", request.users());
  violations.CheckTexts("qos", request.qos());
  if (request.after_event_id() < 0) {
    violations.Add("after_event_id",
                   absl::StrCat("got ", request.after_event_id(), ", want at least 0"));
  }
  if (request.page_size() < 0) {
    violations.Add("page_size", absl::StrCat("got ", request.page_size(), ", want at least 0"));
  }
  return violations.ToStatus();
}

absl::Status Validate(const v1::EstimateJobCostRequest& request, const RequestLimits& limits) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  violations.CheckText("job_id", request.job_id());
  if (request.source_case() == v1::EstimateJobCostRequest::SOURCE_NOT_SET) {
    violations.Add("source", "got none, want jobs or tracked");
  }
  if (request.has_tracked() && request.job_id().empty()) {
    violations.Add("job_id", "got none, want a tracked job");
  }
  if (request.has_jobs()) violations.CheckInlineJobs(request.jobs(), limits.max_jobs);
  return violations.ToStatus();
}

}  // namespace priorityd::rpc
