// The one map from absl::Status to what a gRPC client gets.
#ifndef PRIORITYD_SERVER_RPC_STATUS_H_
#define PRIORITYD_SERVER_RPC_STATUS_H_

#include <grpcpp/support/status.h>

#include <cstddef>

#include "absl/status/status.h"

namespace priorityd::rpc {

// Bounds of what travels in trailers; larger ones make proxies answer 502.
inline constexpr size_t kMaxDetailsBytes = 3 * 1024;
inline constexpr size_t kMaxMessageBytes = 512;
inline constexpr int kMaxViolations = 32;

// Same code and message, and a google.rpc.Status in grpc-status-details-bin:
// ErrorInfo always, BadRequest and RetryInfo where the status carries them (see
// errors/error_details.h), RetryInfo on every UNAVAILABLE and RESOURCE_EXHAUSTED.
// Violations that do not fit are left out and counted in the message. The text of INTERNAL
// and UNKNOWN stays here, in the call's report (call_report.h).
grpc::Status ToGrpcStatus(const absl::Status& status);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_STATUS_H_
