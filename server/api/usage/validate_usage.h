// Validation of the requests about usage, independent of any cluster.
#ifndef PRIORITYD_SERVER_API_USAGE_VALIDATE_USAGE_H_
#define PRIORITYD_SERVER_API_USAGE_VALIDATE_USAGE_H_

#include "absl/status/status.h"
#include "priority/v1/admin_service.pb.h"
#include "priority/v1/recovery.pb.h"
#include "priority/v1/report.pb.h"
#include "priority/v1/usage.pb.h"
#include "priority/v1/usage_void.pb.h"
#include "server/transport/request_limits.h"

namespace priorityd::rpc {

// INVALID_ARGUMENT with the violations. Single jobs and records are not checked: a wrong
// one never fails the others.
absl::Status Validate(const ::priority::v1::RecordUsageRequest& request,
                      const RequestLimits& limits);
absl::Status Validate(const ::priority::v1::ReportUsageRequest& request);
absl::Status Validate(const ::priority::v1::ListUsageRecordsRequest& request);
absl::Status Validate(const ::priority::v1::ListUsageSourcesRequest& request);
absl::Status Validate(const ::priority::v1::VoidUsageRequest& request);
absl::Status Validate(const ::priority::v1::RestoreUsageRequest& request);
absl::Status Validate(const ::priority::v1::ResetUsageRequest& request);
absl::Status Validate(const ::priority::v1::RebuildUsageRequest& request);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_USAGE_VALIDATE_USAGE_H_
