// VoidUsage and RestoreUsage.
#ifndef PRIORITYD_SERVER_API_USAGE_VOID_USAGE_H_
#define PRIORITYD_SERVER_API_USAGE_VOID_USAGE_H_

#include "absl/status/status.h"
#include "priority/v1/admin_service.pb.h"
#include "server/api/shared/administration_call.h"

namespace priorityd::rpc {

// INVALID_ARGUMENT for a field; errors of usage::PreviewVoid, usage::VoidUsage and
// usage::RestoreUsage.
absl::Status VoidUsage(const AdministrationCall& call,
                       const ::priority::v1::VoidUsageRequest& request,
                       ::priority::v1::VoidUsageResponse* response);
absl::Status RestoreUsage(const AdministrationCall& call,
                          const ::priority::v1::RestoreUsageRequest& request,
                          ::priority::v1::VoidUsageResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_USAGE_VOID_USAGE_H_
