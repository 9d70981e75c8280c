// Validation of requests independent of any cluster: one function per RPC, called first.
#ifndef PRIORITYD_SERVER_RPC_VALIDATE_H_
#define PRIORITYD_SERVER_RPC_VALIDATE_H_

#include "absl/status/status.h"
#include "priority/v1/admin_service.pb.h"
#include "priority/v1/caller.pb.h"
#include "priority/v1/explanation.pb.h"
#include "priority/v1/lint.pb.h"
#include "priority/v1/queue.pb.h"
#include "priority/v1/ranking.pb.h"
#include "priority/v1/report.pb.h"
#include "priority/v1/share.pb.h"
#include "priority/v1/status.pb.h"
#include "priority/v1/usage.pb.h"
#include "priority/v1/watch.pb.h"

namespace priorityd::rpc {

// Maximum sizes of a call.
struct RequestLimits {
  int max_jobs = 200'000;
  int max_records = 100'000;
  int max_suppositions = 10'000;
};

// INVALID_ARGUMENT with the violations. Does not check single jobs and records: an invalid one
// never fails the others.
absl::Status Validate(const ::priority::v1::RankJobsRequest& request, const RequestLimits& limits);
absl::Status Validate(const ::priority::v1::WatchRankingRequest& request);
absl::Status Validate(const ::priority::v1::ExplainPriorityRequest& request,
                      const RequestLimits& limits);
absl::Status Validate(const ::priority::v1::LintPolicyRequest& request,
                      const RequestLimits& limits);
absl::Status Validate(const ::priority::v1::RecordUsageRequest& request,
                      const RequestLimits& limits);
absl::Status Validate(const ::priority::v1::UpdateJobsRequest& request,
                      const RequestLimits& limits);
absl::Status Validate(const ::priority::v1::TopJobsRequest& request, const RequestLimits& limits);
absl::Status Validate(const ::priority::v1::ListJobsRequest& request);
absl::Status Validate(const ::priority::v1::ListSharesRequest& request);
absl::Status Validate(const ::priority::v1::ReportUsageRequest& request);
absl::Status Validate(const ::priority::v1::ListShareHistoryRequest& request);
absl::Status Validate(const ::priority::v1::ImportRequest& request);
absl::Status Validate(const ::priority::v1::ApplyPolicyRequest& request);
absl::Status Validate(const ::priority::v1::GetPolicyRequest& request);
absl::Status Validate(const ::priority::v1::UpdateClusterRequest& request);
absl::Status Validate(const ::priority::v1::RecalculateRequest& request);
absl::Status Validate(const ::priority::v1::ResetUsageRequest& request);
absl::Status Validate(const ::priority::v1::RebuildUsageRequest& request);
absl::Status Validate(const ::priority::v1::GetStatusRequest& request);
absl::Status Validate(const ::priority::v1::GetCallerRequest& request);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_VALIDATE_H_
