// Runs a unary call on a worker pool.
#ifndef PRIORITYD_SERVER_RPC_CALL_H_
#define PRIORITYD_SERVER_RPC_CALL_H_

#include <google/protobuf/message.h>
#include <grpcpp/support/server_callback.h>

#include <functional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/authorization/rights_table.h"
#include "server/rpc/admission.h"
#include "server/rpc/boundary.h"
#include "server/rpc/caller.h"
#include "server/rpc/lane_pool.h"
#include "server/rpc/worker_pool.h"

namespace priorityd::rpc {

// A unary call; deletes itself when it is over, and only then gives its place back.
class Call : public grpc::ServerUnaryReactor {
 public:
  explicit Call(Admission::Place place) : place_(std::move(place)) {}
  void OnDone() override { delete this; }

 private:
  const Admission::Place place_;
};

// What RESOURCE_EXHAUSTED (SERVER_BUSY) says when too many calls wait for a pool.
absl::Status BusyError();

// Does what a caller wants who has passed the boundary.
using Work = std::function<absl::Status(const Caller& caller)>;

// Answers what `work` returns, once the caller has passed the boundary for `rpc`; work for one who
// has gone meanwhile is not begun. When there is no room for the request, or too many calls wait
// for the pool: RESOURCE_EXHAUSTED, at once. What `work` refers to must live until it has run, as
// request and response do.
grpc::ServerUnaryReactor* RunCall(Boundary& boundary, authorization::Rpc rpc, WorkerPool& pool,
                                  grpc::CallbackServerContext* context,
                                  const google::protobuf::Message& request, Work work);

// The same in a lane of a pool. Work that could not have a lock (storage::IsLockTimeout), for which
// it must not wait for long itself, is run again later until `patience` is over.
grpc::ServerUnaryReactor* RunCall(Boundary& boundary, authorization::Rpc rpc, LanePool& pool,
                                  const std::string& lane, absl::Duration patience,
                                  grpc::CallbackServerContext* context,
                                  const google::protobuf::Message& request, Work work);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_CALL_H_
