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

absl::Status Busy() {
  return errors::WithRetryDelay(
      errors::WithReason(
          absl::ResourceExhaustedError("too many calls wait for the service; try again"),
          "SERVER_BUSY"),
      kRetryWhenBusy);
}

using TrySchedule = absl::FunctionRef<bool(std::function<void()>)>;

grpc::ServerUnaryReactor* RunBy(TrySchedule schedule, grpc::CallbackServerContext* context,
                                std::function<absl::Status()> work) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const bool taken = schedule([context, reactor, work = std::move(work)] {
    reactor->Finish(context->IsCancelled() ? grpc::Status::CANCELLED : ToGrpcStatus(work()));
  });
  if (!taken) reactor->Finish(ToGrpcStatus(Busy()));
  return reactor;
}

}  // namespace

grpc::ServerUnaryReactor* RunCall(WorkerPool& pool, grpc::CallbackServerContext* context,
                                  std::function<absl::Status()> work) {
  const auto schedule = [&pool](std::function<void()> run) {
    return pool.TrySchedule(std::move(run));
  };
  return RunBy(schedule, context, std::move(work));
}

grpc::ServerUnaryReactor* RunCall(LanePool& pool, const std::string& lane,
                                  grpc::CallbackServerContext* context,
                                  std::function<absl::Status()> work) {
  const auto schedule = [&](std::function<void()> run) {
    return pool.TrySchedule(lane, std::move(run));
  };
  return RunBy(schedule, context, std::move(work));
}

}  // namespace priorityd::rpc
