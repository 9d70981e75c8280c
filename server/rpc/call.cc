#include "server/rpc/call.h"

#include <grpcpp/server_context.h>

#include <algorithm>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/errors/error_details.h"
#include "server/rpc/status.h"
#include "storage/status.h"

namespace priorityd::rpc {
namespace {

constexpr absl::Duration kRetryWhenBusy = absl::Seconds(1);

// Makes a call and has it run by `schedule`, a function of the call that returns whether it will
// finish it.
grpc::ServerUnaryReactor* Begin(Admission& admission, const google::protobuf::Message& request,
                                absl::FunctionRef<bool(Call*)> schedule) {
  absl::StatusOr<Admission::Place> place = admission.Admit(request);
  auto* call = new Call(place.ok() ? *place : nullptr);
  if (!place.ok()) {
    call->Finish(ToGrpcStatus(place.status()));
  } else if (!schedule(call)) {
    call->Finish(ToGrpcStatus(BusyError()));
  }
  return call;
}

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
  return Begin(admission, request, [&](Call* call) {
    return pool.TrySchedule([context, call, work = std::move(work)] {
      call->Finish(context->IsCancelled() ? grpc::Status::CANCELLED : ToGrpcStatus(work()));
    });
  });
}

grpc::ServerUnaryReactor* RunCall(LanePool& pool, const std::string& lane, absl::Duration patience,
                                  Admission& admission, grpc::CallbackServerContext* context,
                                  const google::protobuf::Message& request,
                                  std::function<absl::Status()> work) {
  return Begin(admission, request, [&](Call* call) {
    return pool.TrySchedule(
        lane, [=, work = std::move(work), give_up = absl::InfiniteFuture()]() mutable {
          give_up = std::min(give_up, absl::Now() + patience);
          const absl::Status status =
              context->IsCancelled() ? absl::CancelledError("the caller has gone") : work();
          if (storage::IsLockTimeout(status) && absl::Now() < give_up) return false;
          call->Finish(ToGrpcStatus(status));
          return true;
        });
  });
}

}  // namespace priorityd::rpc
