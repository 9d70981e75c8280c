// Runs a unary call on a worker pool.
#ifndef PRIORITYD_SERVER_RPC_CALL_H_
#define PRIORITYD_SERVER_RPC_CALL_H_

#include <grpcpp/support/server_callback.h>

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "server/rpc/lane_pool.h"
#include "server/rpc/worker_pool.h"

namespace priorityd::rpc {

// Answers what `work` returns; work for a caller that has gone meanwhile is not
// begun. When too many calls wait for the pool: RESOURCE_EXHAUSTED (SERVER_BUSY), at once. What
// `work` refers to must live until it has run, as request and response do.
grpc::ServerUnaryReactor* RunCall(WorkerPool& pool, grpc::CallbackServerContext* context,
                                  std::function<absl::Status()> work);

// The same in a lane of a pool.
grpc::ServerUnaryReactor* RunCall(LanePool& pool, const std::string& lane,
                                  grpc::CallbackServerContext* context,
                                  std::function<absl::Status()> work);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_CALL_H_
