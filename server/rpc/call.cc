#include "server/rpc/call.h"

#include <grpcpp/server_context.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/errors/error_details.h"
#include "server/rpc/status.h"
#include "storage/status.h"

namespace priorityd::rpc {
namespace {

constexpr absl::Duration kRetryWhenBusy = absl::Seconds(1);

// Has a call run, which then ends with what `run` returns; returns false if it will not.
using Schedule = std::function<bool(Call* call, std::function<absl::Status()> run)>;

// Makes a call and, once its caller has passed the boundary, has it run by `schedule`.
grpc::ServerUnaryReactor* Begin(Boundary& boundary, authorization::Rpc rpc,
                                grpc::CallbackServerContext* context,
                                const google::protobuf::Message& request, Work work,
                                Schedule schedule) {
  absl::StatusOr<Admission::Place> place = boundary.admission().Admit(request);
  auto* call = new Call(place.ok() ? *place : nullptr);
  if (!place.ok()) {
    call->Finish(ToGrpcStatus(place.status()));
    return call;
  }
  boundary.Pass(rpc, ClusterOf(request), context, [=](absl::StatusOr<Caller> caller) {
    if (!caller.ok()) return call->Finish(ToGrpcStatus(caller.status()));
    const bool taken = schedule(call, [context, work, caller = *std::move(caller)] {
      return context->IsCancelled() ? absl::CancelledError("the caller has gone") : work(caller);
    });
    if (!taken) call->Finish(ToGrpcStatus(BusyError()));
  });
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

grpc::ServerUnaryReactor* RunCall(Boundary& boundary, authorization::Rpc rpc, WorkerPool& pool,
                                  grpc::CallbackServerContext* context,
                                  const google::protobuf::Message& request, Work work) {
  return Begin(boundary, rpc, context, request, std::move(work),
               [&pool](Call* call, std::function<absl::Status()> run) {
                 return pool.TrySchedule(
                     [call, run = std::move(run)] { call->Finish(ToGrpcStatus(run())); });
               });
}

grpc::ServerUnaryReactor* RunCall(Boundary& boundary, authorization::Rpc rpc, LanePool& pool,
                                  const std::string& lane, absl::Duration patience,
                                  grpc::CallbackServerContext* context,
                                  const google::protobuf::Message& request, Work work) {
  return Begin(boundary, rpc, context, request, std::move(work),
               [&pool, lane, patience](Call* call, std::function<absl::Status()> run) {
                 return pool.TrySchedule(lane, [=, give_up = absl::InfiniteFuture()]() mutable {
                   give_up = std::min(give_up, absl::Now() + patience);
                   const absl::Status status = run();
                   if (storage::IsLockTimeout(status) && absl::Now() < give_up) return false;
                   call->Finish(ToGrpcStatus(status));
                   return true;
                 });
               });
}

}  // namespace priorityd::rpc
