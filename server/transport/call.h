// Unary calls, each on the threads of its RPC.
#ifndef PRIORITYD_SERVER_TRANSPORT_CALL_H_
#define PRIORITYD_SERVER_TRANSPORT_CALL_H_

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
#include "server/transport/admission.h"
#include "server/transport/boundary.h"
#include "server/transport/caller.h"
#include "server/transport/pools.h"
#include "server/transport/request_call.h"
#include "server/transport/worker_pool.h"

namespace priorityd::rpc {

class Call;

// Schedules the work of a call, now or later: Run on a thread that may block, or Parse and End.
using Schedule = std::function<void(Call* call)>;
// Does the work for an authorized caller.
using Work =
    std::function<absl::Status(const Caller& caller, const google::protobuf::Message& request,
                               google::protobuf::Message* response)>;

// The messages of a unary RPC, and the work that serves it.
struct UnaryMethod {
  RequestType request_type;
  const google::protobuf::Message* request;  // The empty default instance.
  const google::protobuf::Message* response;
  Schedule schedule;
  Work work;
};

// A unary call. Deletes itself at its end and only then releases its place. Request and response
// are on an arena, which is freed once the answer is encoded.
class Call final : public RequestCall {
 public:
  // Both must outlive it.
  Call(const UnaryMethod& method, Boundary& boundary, grpc::CallbackServerContext* context)
      : RequestCall(method.request_type, boundary, context), method_(method) {}

  // Parses the request and does the method's work, unless the caller has gone. If the method only
  // reads, its reads from the database end when the caller goes, or at the deadline. May be called
  // again after a lock timeout.
  absl::Status Run();
  // Only parses the request.
  absl::Status Parse();
  // Reports and answers. Call once.
  void End(absl::Status status);

  // Valid from Parse to End.
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

  absl::Status Work();
  // Encodes the response, for which there must be room.
  absl::Status EncodeAnswer();

  const UnaryMethod& method_;
  Caller caller_;
  std::unique_ptr<Messages> messages_;
  Admission::Room answer_room_;
  grpc::ByteBuffer answer_;
};

// Runs the call on a thread of this pool, in its caller's lane. RESOURCE_EXHAUSTED at once if too
// many calls wait, or the caller's part of the places is used up.
Schedule On(WorkerPool& pool);
// Runs the call by the first schedule if the request has the field, otherwise by the second.
Schedule EitherOf(int field, Schedule with, Schedule without);
// Runs the call on the pool that computes for its caller now.
Schedule Computing(Pools& pools);
// Runs the call in its cluster's lane. Work must not wait long for a lock; after a lock timeout
// (storage::IsLockTimeout) it is run again later until `patience` is over. `lane` names a cluster's
// lane.
Schedule InLane(WorkerPool& pool, absl::Duration patience,
                std::function<std::string(const std::string& cluster)> lane);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_TRANSPORT_CALL_H_
