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

namespace {

// Only known fields: an unknown filter would match all records.
bool IsEmpty(const v1::UsageVoidFilter& filter) {
  return filter.sources().empty() && filter.job_ids().empty() && filter.users().empty() &&
         filter.accounts().empty() && !filter.has_ended_from() && !filter.has_ended_before() &&
         !filter.has_recorded_from() && !filter.has_recorded_before();
}

void CheckFilter(const v1::UsageVoidFilter& filter, RequestViolations* violations) {
  violations->CheckTexts("filter.sources", filter.sources());
  violations->CheckTexts("filter.job_ids", filter.job_ids());
  violations->CheckTexts("filter.users", filter.users());
  violations->CheckTexts("filter.accounts", filter.accounts());
  const auto time = [&](const char* field, bool is_set, const google::protobuf::Timestamp& at) {
    if (is_set) violations->CheckTime(field, at);
  };
  time("filter.ended_from", filter.has_ended_from(), filter.ended_from());
  time("filter.ended_before", filter.has_ended_before(), filter.ended_before());
  time("filter.recorded_from", filter.has_recorded_from(), filter.recorded_from());
  time("filter.recorded_before", filter.has_recorded_before(), filter.recorded_before());
}

}  // namespace

absl::Status Validate(const v1::VoidUsageRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  violations.CheckText("comment", request.comment(), errors::kMaxCommentBytes);
  CheckFilter(request.filter(), &violations);
  if (request.void_id() < 0) {
    violations.Add("void_id", absl::StrCat("got ", request.void_id(), ", want at least 0"));
  }
  if (request.void_id() == 0 && IsEmpty(request.filter())) {
    violations.Add("filter", "got nothing, want a source, job, user, account or time");
  }
  if (request.void_id() != 0 && !IsEmpty(request.filter())) {
    violations.Add("filter", "got one beside void_id, want one of the two");
  }
  if (request.void_id() != 0 && request.validate_only()) {
    violations.Add("validate_only", "got it with void_id, want it with a filter");
  }
  return violations.ToStatus();
}

absl::Status Validate(const v1::RestoreUsageRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  violations.CheckText("comment", request.comment(), errors::kMaxCommentBytes);
  if (request.void_id() <= 0) {
    violations.Add("void_id", absl::StrCat("got ", request.void_id(), ", want that of a void"));
  }
  return violations.ToStatus();
}

}  // namespace priorityd::rpc
