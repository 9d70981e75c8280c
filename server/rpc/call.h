// Runs a unary call on a worker pool.
#ifndef PRIORITYD_SERVER_RPC_CALL_H_
#define PRIORITYD_SERVER_RPC_CALL_H_

#include <google/protobuf/message.h>
#include <grpcpp/support/server_callback.h>

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/authorization/rights_table.h"
#include "server/rpc/admission.h"
#include "server/rpc/boundary.h"
#include "server/rpc/call_report.h"
#include "server/rpc/caller.h"
#include "server/rpc/lane_pool.h"
#include "server/rpc/worker_pool.h"

namespace priorityd::rpc {

// A unary call; deletes itself when it is over, and only then gives its place back.
class Call : public grpc::ServerUnaryReactor {
 public:
  // `boundary` and the messages must live until it is over.
  Call(Boundary& boundary, authorization::Rpc rpc, grpc::CallbackServerContext* context,
       const google::protobuf::Message& request, const google::protobuf::Message& response);

  // Calls `then` once there is room for the request and the caller has passed the boundary; see
  // Boundary::Pass. Ends the call if not. To be called once.
  void Pass(std::function<void(const Caller& caller)> then);

  // Reports and answers. To be called once.
  void End(const absl::Status& status);

  void OnDone() override { delete this; }

 private:
  Boundary& boundary_;
  grpc::CallbackServerContext* const context_;
  const google::protobuf::Message& request_;
  const google::protobuf::Message& response_;
  OngoingCall call_;
  const absl::StatusOr<Admission::Place> place_;
};

// Does what a caller wants who has passed the boundary.
using Work = std::function<absl::Status(const Caller& caller)>;

// Answers what `work` returns, once the caller has passed the boundary for `rpc`; work for one who
// has gone meanwhile is not begun. When there is no room for the request, or too many calls wait
// for the pool: RESOURCE_EXHAUSTED, at once. What `work` refers to must live until it has run, as
// request and response, which `work` fills, do.
grpc::ServerUnaryReactor* RunCall(Boundary& boundary, authorization::Rpc rpc, WorkerPool& pool,
                                  grpc::CallbackServerContext* context,
                                  const google::protobuf::Message& request,
                                  const google::protobuf::Message& response, Work work);

// The same in a lane of a pool. Work that could not have a lock (storage::IsLockTimeout), for which
// it must not wait for long itself, is run again later until `patience` is over.
grpc::ServerUnaryReactor* RunCall(Boundary& boundary, authorization::Rpc rpc, LanePool& pool,
                                  const std::string& lane, absl::Duration patience,
                                  grpc::CallbackServerContext* context,
                                  const google::protobuf::Message& request,
                                  const google::protobuf::Message& response, Work work);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_CALL_H_
