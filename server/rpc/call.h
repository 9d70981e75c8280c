// Unary calls: each runs on the threads of its RPC.
#ifndef PRIORITYD_SERVER_RPC_CALL_H_
#define PRIORITYD_SERVER_RPC_CALL_H_

#include <google/protobuf/arena.h>
#include <google/protobuf/message.h>
#include <grpcpp/support/server_callback.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/authorization/rights_table.h"
#include "server/rpc/admission.h"
#include "server/rpc/boundary.h"
#include "server/rpc/caller.h"
#include "server/rpc/lane_pool.h"
#include "server/rpc/request_call.h"
#include "server/rpc/worker_pool.h"

namespace priorityd::rpc {

class Call;

// Has the work of a call done, at once or later: Run on a thread that may take long, or Take and
// End.
using Schedule = std::function<void(Call* call)>;
// Does what a caller wants who has passed the boundary.
using Work =
    std::function<absl::Status(const Caller& caller, const google::protobuf::Message& request,
                               google::protobuf::Message* response)>;

// How a unary RPC is served.
struct UnaryMethod {
  RequestType request_type;
  const google::protobuf::Message* request;  // Of its type, without content.
  const google::protobuf::Message* response;
  Schedule schedule;
  Work work;
};

// A unary call; deletes itself when it is over, and only then gives its place back. Request and
// response are on an arena, which goes as soon as the answer is bytes.
class Call final : public RequestCall {
 public:
  // Both must outlive it.
  Call(const UnaryMethod& method, Boundary& boundary, grpc::CallbackServerContext* context)
      : RequestCall(method.request_type, boundary, context), method_(method) {}

  // Parses the request and does the work of the method, unless the caller has gone. May be called
  // again where it could not have a lock.
  absl::Status Run();
  // Parses the request alone.
  absl::Status Take();
  // Reports and answers. To be called once.
  void End(absl::Status status);

  // From Take on, until End.
  const google::protobuf::Message& request() const { return *messages_->request; }
  google::protobuf::Message* response() { return messages_->response; }
  const Caller& caller() const { return caller_; }
  using RequestCall::scanned;

  void OnDone() override { delete this; }

 protected:
  void Passed(const Caller& caller) override;
  void Refused(const absl::Status& status) override;

 private:
  struct Messages {
    google::protobuf::Arena arena;
    google::protobuf::Message* request = nullptr;
    google::protobuf::Message* response = nullptr;

    explicit Messages(const UnaryMethod& method);
  };

  // The bytes of the response, for which there must be room.
  absl::Status EncodeAnswer();

  const UnaryMethod& method_;
  Caller caller_;
  std::unique_ptr<Messages> messages_;
  Admission::Room answer_room_;
  grpc::ByteBuffer answer_;
};

// On a thread of this pool. When too many calls wait for it, or the caller holds their part of its
// places: RESOURCE_EXHAUSTED, at once.
Schedule On(WorkerPool& pool);
// On a thread of the pool that is chosen by what was counted in the request.
Schedule OnOneOf(std::function<WorkerPool&(const wire::Scanned& request)> pool);
// In the lane of its cluster. Work that could not have a lock (storage::IsLockTimeout), for which
// it must not wait for long itself, is run again later until `patience` is over. `lane` names the
// lane of a cluster.
Schedule InLane(LanePool& pool, absl::Duration patience,
                std::function<std::string(const std::string& cluster)> lane);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_CALL_H_
