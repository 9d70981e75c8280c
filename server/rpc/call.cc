#include "server/rpc/call.h"

#include <grpcpp/server_context.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/time/time.h"
#include "server/rpc/status.h"
#include "server/rpc/unchanged.h"
#include "server/threads/clock.h"
#include "storage/status.h"

namespace priorityd::rpc {
namespace {

// Has the caller's call run, which then ends with what `run` returns; an error if it will not.
using Schedule = std::function<absl::Status(const quotas::Holder& caller, Call* call,
                                            std::function<absl::Status()> run)>;

// Makes a call and, once its caller has passed the boundary, has it run by `schedule`.
grpc::ServerUnaryReactor* Begin(Boundary& boundary, authorization::Rpc rpc,
                                grpc::CallbackServerContext* context,
                                const google::protobuf::Message& request,
                                const google::protobuf::Message& response, Work work,
                                Schedule schedule) {
  auto* call = new Call(boundary, rpc, context, request, response);
  call->Pass([=](const Caller& caller) {
    const absl::Status taken = schedule(caller.holder(), call, [context, work, caller] {
      return context->IsCancelled() ? absl::CancelledError("the caller has gone") : work(caller);
    });
    if (!taken.ok()) call->End(taken);
  });
  return call;
}

}  // namespace

Call::Call(Boundary& boundary, authorization::Rpc rpc, grpc::CallbackServerContext* context,
           const google::protobuf::Message& request, const google::protobuf::Message& response)
    : boundary_(boundary),
      context_(context),
      request_(request),
      response_(response),
      call_(boundary.Begin(rpc, ClusterOf(request), *context)),
      place_(boundary.admission().Admit(request)) {}

void Call::Pass(std::function<void(const Caller& caller)> then) {
  if (!place_.ok()) return End(place_.status());
  boundary_.Pass(&call_, context_,
                 [this, then = std::move(then)](const absl::StatusOr<Caller>& caller) {
                   if (IsUnchanged(caller.status())) return End(absl::OkStatus());
                   if (!caller.ok()) return End(caller.status());
                   then(*caller);
                 });
}

void Call::End(const absl::Status& status) {
  if (call_.is_observed()) call_.AddRows(std::max(RowsOf(request_), RowsOf(response_)));
  call_.Ended(status);
  Finish(ToGrpcStatus(status));
}

grpc::ServerUnaryReactor* RunCall(Boundary& boundary, authorization::Rpc rpc, WorkerPool& pool,
                                  grpc::CallbackServerContext* context,
                                  const google::protobuf::Message& request,
                                  const google::protobuf::Message& response, Work work) {
  return Begin(
      boundary, rpc, context, request, response, std::move(work),
      [&pool](const quotas::Holder& caller, Call* call, std::function<absl::Status()> run) {
        return pool.TrySchedule(caller, [call, run = std::move(run)] { call->End(run()); });
      });
}

grpc::ServerUnaryReactor* RunCall(Boundary& boundary, authorization::Rpc rpc, LanePool& pool,
                                  const std::string& lane, absl::Duration patience,
                                  grpc::CallbackServerContext* context,
                                  const google::protobuf::Message& request,
                                  const google::protobuf::Message& response, Work work) {
  return Begin(boundary, rpc, context, request, response, std::move(work),
               [&pool, lane, patience](const quotas::Holder& caller, Call* call,
                                       std::function<absl::Status()> run) {
                 return pool.TrySchedule(
                     caller, lane, [=, give_up = absl::InfiniteFuture()]() mutable {
                       give_up = std::min(give_up, threads::RunningTime() + patience);
                       const absl::Status status = run();
                       if (storage::IsLockTimeout(status) && threads::RunningTime() < give_up)
                         return false;
                       call->End(status);
                       return true;
                     });
               });
}

}  // namespace priorityd::rpc
