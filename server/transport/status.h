// The only conversion from absl::Status to gRPC.
#ifndef PRIORITYD_SERVER_TRANSPORT_STATUS_H_
#define PRIORITYD_SERVER_TRANSPORT_STATUS_H_

#include <grpcpp/support/server_callback.h>
#include <grpcpp/support/status.h>

#include <cstddef>

#include "absl/status/status.h"

namespace priorityd::rpc {

// Bounds of trailers; with larger ones, proxies answer 502.
inline constexpr size_t kMaxDetailsBytes = 3 * 1024;
inline constexpr size_t kMaxMessageBytes = 512;
inline constexpr int kMaxViolations = 32;

// Same code and message, and a google.rpc.Status in grpc-status-details-bin: always ErrorInfo,
// BadRequest and RetryInfo if the status contains them (see errors/error_details.h), RetryInfo on
// every UNAVAILABLE and RESOURCE_EXHAUSTED. Violations that do not fit are omitted and counted in
// the message. The text of INTERNAL and UNKNOWN is not sent; it is in the call's report
// (call_report.h).
grpc::Status ToGrpcStatus(const absl::Status& status);

// The initial metadata that names a cluster of the call that has moved, percent-encoded as clients
// name it, and its cell.
inline constexpr char kMovedClusterKey[] = "priorityd-moved-cluster";
inline constexpr char kMovedToKey[] = "priorityd-moved-to";

// Adds that metadata if `status` is CLUSTER_MOVED, for the load balancer. Has no effect after the
// first message of the answer.
void AnnounceCell(const absl::Status& status, grpc::CallbackServerContext* context);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_TRANSPORT_STATUS_H_
