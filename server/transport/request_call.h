// A call with one request: the caller is authenticated before the request is read, and its size in
// memory is known before it is parsed.
#ifndef PRIORITYD_SERVER_TRANSPORT_REQUEST_CALL_H_
#define PRIORITYD_SERVER_TRANSPORT_REQUEST_CALL_H_

#include <google/protobuf/message.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/authorization/rights_table.h"
#include "server/transport/admission.h"
#include "server/transport/boundary.h"
#include "server/transport/call_report.h"
#include "server/transport/caller.h"
#include "server/transport/raw_service.h"
#include "server/wire/message_scan.h"

namespace priorityd::rpc {

// The type of an RPC's requests.
struct RequestType {
  authorization::Rpc rpc;
  wire::MessageScan scan;
};

// The steps: the boundary authenticates the caller; the request is read and counted; the boundary
// authorizes the caller; room is reserved; Passed. A failed step ends in Refused.
class RequestCall : public RawReactor {
 public:
  // `type` and `boundary` must outlive it.
  RequestCall(const RequestType& type, Boundary& boundary, grpc::CallbackServerContext* context);

  // Call once, when the call is ready for Passed and Refused.
  void Begin();

  void OnReadDone(bool ok) final;

 protected:
  // Exactly one of them is called, once.
  virtual void Passed(const Caller& caller) = 0;
  virtual void Refused(const absl::Status& status) = 0;

  // Call once, after Passed. INVALID_ARGUMENT (INVALID_MESSAGE).
  absl::Status ParseRequest(google::protobuf::Message* request);
  const wire::Scanned& scanned() const { return scanned_; }

  grpc::CallbackServerContext* context() const { return context_; }
  Boundary& boundary() const { return boundary_; }
  OngoingCall& call() { return call_; }
  // Releases the room of the request, which is no longer needed; the second also releases the
  // call's place, so that a stop does not wait for it.
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
  Admission::Room waiting_;  // While the request arrives.
  Admission::Place place_;   // Until the end of the call.
  Admission::Room room_;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_TRANSPORT_REQUEST_CALL_H_
