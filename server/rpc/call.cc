#include "server/rpc/call.h"

#include <grpcpp/server_context.h>

#include <utility>

#include "server/rpc/status.h"

namespace priorityd::rpc {

grpc::ServerUnaryReactor* RunCall(WorkerPool& pool, grpc::CallbackServerContext* context,
                                  std::function<absl::Status()> work) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  pool.Schedule([context, reactor, work = std::move(work)] {
    reactor->Finish(context->IsCancelled() ? grpc::Status::CANCELLED : ToGrpcStatus(work()));
  });
  return reactor;
}

}  // namespace priorityd::rpc
