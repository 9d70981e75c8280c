// A call that has one request: who calls is proved before it is read, and what it will take is
// known before it is parsed.
#ifndef PRIORITYD_SERVER_RPC_REQUEST_CALL_H_
#define PRIORITYD_SERVER_RPC_REQUEST_CALL_H_

#include <google/protobuf/message.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/authorization/rights_table.h"
#include "server/rpc/admission.h"
#include "server/rpc/boundary.h"
#include "server/rpc/call_report.h"
#include "server/rpc/caller.h"
#include "server/rpc/raw_service.h"
#include "server/wire/message_scan.h"

namespace priorityd::rpc {

// The requests of an RPC.
struct RequestType {
  authorization::Rpc rpc;
  wire::MessageScan scan;
};

// In this order: the boundary proves who calls; the request is read, and counted; the boundary
// looks whether the caller may; there is room for it; Passed. What fails ends in Refused.
class RequestCall : public RawReactor {
 public:
  // `type` and `boundary` must outlive it.
  RequestCall(const RequestType& type, Boundary& boundary, grpc::CallbackServerContext* context);

  // To be called once, when it is ready for Passed and Refused.
  void Begin();

  void OnReadDone(bool ok) final;

 protected:
  // One of them is called, once.
  virtual void Passed(const Caller& caller) = 0;
  virtual void Refused(const absl::Status& status) = 0;

  // From Passed on, once. INVALID_ARGUMENT (INVALID_MESSAGE).
  absl::Status ParseRequest(google::protobuf::Message* request);
  const wire::Scanned& scanned() const { return scanned_; }

  grpc::CallbackServerContext* context() const { return context_; }
  Boundary& boundary() const { return boundary_; }
  OngoingCall& call() { return call_; }
  // Gives back the room of the request, which is no more; and the place of the call too, which then
  // is none that anybody waits for.
  void LeaveRoom() { room_ = nullptr; }
  void LeavePlace() { place_ = nullptr; }

 private:
  absl::Status NoRequest() const;
  absl::Status TakeRequest();

  const RequestType& type_;
  Boundary& boundary_;
  grpc::CallbackServerContext* const context_;
  OngoingCall call_;
  Caller caller_;
  grpc::ByteBuffer bytes_;
  wire::Scanned scanned_;
  Admission::Room waiting_;  // While the request comes.
  Admission::Place place_;   // Until the call is over.
  Admission::Room room_;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_REQUEST_CALL_H_
