#include "server/rpc/call.h"

#include <grpcpp/server_context.h>

#include <utility>

#include "absl/time/time.h"
#include "server/errors/error_details.h"
#include "server/rpc/status.h"

namespace priorityd::rpc {

namespace {

constexpr absl::Duration kRetryWhenBusy = absl::Seconds(1);

absl::Status Busy() {
  return errors::WithRetryDelay(
      errors::WithReason(
          absl::ResourceExhaustedError("too many calls wait for the service; try again"),
          "SERVER_BUSY"),
      kRetryWhenBusy);
}

}  // namespace

grpc::ServerUnaryReactor* RunCall(WorkerPool& pool, grpc::CallbackServerContext* context,
                                  std::function<absl::Status()> work) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const bool taken = pool.TrySchedule([context, reactor, work = std::move(work)] {
    reactor->Finish(context->IsCancelled() ? grpc::Status::CANCELLED : ToGrpcStatus(work()));
  });
  if (!taken) reactor->Finish(ToGrpcStatus(Busy()));
  return reactor;
}

}  // namespace priorityd::rpc
