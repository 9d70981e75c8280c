#include "server/rpc/call.h"

#include <grpcpp/server_context.h>

#include <utility>

#include "absl/time/time.h"
#include "server/errors/error_details.h"
#include "server/rpc/status.h"

namespace priorityd::rpc {
namespace {

constexpr absl::Duration kRetryWhenBusy = absl::Seconds(1);

using TrySchedule = std::function<bool(std::function<void()>)>;

grpc::ServerUnaryReactor* RunBy(Boundary& boundary, authorization::Rpc rpc, TrySchedule schedule,
                                grpc::CallbackServerContext* context,
                                const google::protobuf::Message& request, Work work) {
  absl::StatusOr<Admission::Place> place = boundary.admission().Admit(request);
  auto* call = new Call(place.ok() ? *place : nullptr);
  if (!place.ok()) {
    call->Finish(ToGrpcStatus(place.status()));
    return call;
  }
  const auto go_on = [=, schedule = std::move(schedule),
                      work = std::move(work)](absl::StatusOr<Caller> caller) {
    if (!caller.ok()) return call->Finish(ToGrpcStatus(caller.status()));
    const bool taken = schedule([context, call, work, caller = *std::move(caller)] {
      call->Finish(context->IsCancelled() ? grpc::Status::CANCELLED : ToGrpcStatus(work(caller)));
    });
    if (!taken) call->Finish(ToGrpcStatus(BusyError()));
  };
  boundary.Pass(rpc, ClusterOf(request), context, go_on);
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
  const auto schedule = [&pool](std::function<void()> run) {
    return pool.TrySchedule(std::move(run));
  };
  return RunBy(boundary, rpc, schedule, context, request, std::move(work));
}

grpc::ServerUnaryReactor* RunCall(Boundary& boundary, authorization::Rpc rpc, LanePool& pool,
                                  const std::string& lane, grpc::CallbackServerContext* context,
                                  const google::protobuf::Message& request, Work work) {
  const auto schedule = [&pool, lane](std::function<void()> run) {
    return pool.TrySchedule(lane, std::move(run));
  };
  return RunBy(boundary, rpc, schedule, context, request, std::move(work));
}

}  // namespace priorityd::rpc
