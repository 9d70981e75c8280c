#include "server/rpc/call.h"

#include <grpcpp/server_context.h>

#include "absl/time/time.h"
#include "server/errors/error_details.h"
#include "server/rpc/status.h"

namespace priorityd::rpc {
namespace {

constexpr absl::Duration kRetryWhenBusy = absl::Seconds(1);

}  // namespace

absl::Status BusyError() {
  return errors::WithRetryDelay(
      errors::WithReason(
          absl::ResourceExhaustedError("too many calls wait for the service; try again"),
          "SERVER_BUSY"),
      kRetryWhenBusy);
}

grpc::ServerUnaryReactor* RunCall(WorkerPool& pool, Admission& admission,
                                  grpc::CallbackServerContext* context,
                                  const google::protobuf::Message& request,
                                  std::function<absl::Status()> work) {
  absl::StatusOr<Admission::Place> place = admission.Admit(request);
  auto* call = new Call(place.ok() ? *place : nullptr);
  if (!place.ok()) {
    call->Finish(ToGrpcStatus(place.status()));
    return call;
  }
  const bool taken = pool.TrySchedule([context, call, work = std::move(work)] {
    call->Finish(context->IsCancelled() ? grpc::Status::CANCELLED : ToGrpcStatus(work()));
  });
  if (!taken) call->Finish(ToGrpcStatus(BusyError()));
  return call;
}

}  // namespace priorityd::rpc
