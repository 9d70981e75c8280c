#include "server/rpc/validate_history.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "server/errors/bounds.h"
#include "server/rpc/request_violations.h"

namespace priorityd::rpc {

namespace v1 = ::priority::v1;

absl::Status Validate(const v1::ListAuditEventsRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  violations.CheckPage(request);
  violations.CheckTexts("principals", request.principals());
  violations.CheckTexts("actions", request.actions());
  violations.CheckText("object_contains", request.object_contains());
  violations.CheckTimes(request);
  return violations.ToStatus();
}

absl::Status Validate(const v1::ListPolicyVersionsRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  violations.CheckPage(request);
  return violations.ToStatus();
}

absl::Status Validate(const v1::RollbackPolicyRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  violations.CheckText("comment", request.comment(), errors::kMaxCommentBytes);
  if (request.version() < 1) {
    violations.Add("version", absl::StrCat("got ", request.version(), ", want at least 1"));
  }
  violations.CheckExpectedVersion(request);
  return violations.ToStatus();
}

absl::Status Validate(const v1::ListUsageRecordsRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  if (request.has_ended_from()) violations.CheckTime("ended_from", request.ended_from());
  if (request.has_ended_before()) violations.CheckTime("ended_before", request.ended_before());
  violations.CheckTexts("job_ids", request.job_ids());
  violations.CheckTexts("accounts", request.accounts());
  violations.CheckTexts("users", request.users());
  violations.CheckPage(request);
  return violations.ToStatus();
}

}  // namespace priorityd::rpc
