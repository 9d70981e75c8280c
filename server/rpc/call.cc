#include "server/rpc/call.h"

#include <grpcpp/server_context.h>

#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "server/errors/error_details.h"
#include "server/rpc/status.h"

namespace priorityd::rpc {
namespace {

constexpr absl::Duration kRetryWhenBusy = absl::Seconds(1);

using TrySchedule = absl::FunctionRef<bool(std::function<void()>)>;

grpc::ServerUnaryReactor* RunBy(TrySchedule schedule, Admission& admission,
                                grpc::CallbackServerContext* context,
                                const google::protobuf::Message& request,
                                std::function<absl::Status()> work) {
  absl::StatusOr<Admission::Place> place = admission.Admit(request);
  auto* call = new Call(place.ok() ? *place : nullptr);
  if (!place.ok()) {
    call->Finish(ToGrpcStatus(place.status()));
    return call;
  }
  const bool taken = schedule([context, call, work = std::move(work)] {
    call->Finish(context->IsCancelled() ? grpc::Status::CANCELLED : ToGrpcStatus(work()));
  });
  if (!taken) call->Finish(ToGrpcStatus(BusyError()));
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
  const auto schedule = [&pool](std::function<void()> run) {
    return pool.TrySchedule(std::move(run));
  };
  return RunBy(schedule, admission, context, request, std::move(work));
}

grpc::ServerUnaryReactor* RunCall(LanePool& pool, const std::string& lane, Admission& admission,
                                  grpc::CallbackServerContext* context,
                                  const google::protobuf::Message& request,
                                  std::function<absl::Status()> work) {
  const auto schedule = [&](std::function<void()> run) {
    return pool.TrySchedule(lane, std::move(run));
  };
  return RunBy(schedule, admission, context, request, std::move(work));
}

}  // namespace priorityd::rpc
