#include "server/transport/request_call.h"

#include <grpcpp/server_context.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "engine/errors/error_details.h"
#include "server/transport/message_bytes.h"

namespace priorityd::rpc {
namespace {

absl::Status Malformed(absl::string_view what) {
  return errors::WithReason(absl::InvalidArgumentError(absl::StrCat("the message: ", what)),
                            "INVALID_MESSAGE");
}

// DeleteCluster and RestoreCluster have their cluster in `name`.
void NameInReport(const google::protobuf::Message& request, OngoingCall* call) {
  using authorization::Rpc;
  if (call->rpc() != Rpc::kDeleteCluster && call->rpc() != Rpc::kRestoreCluster) return;
  const auto* name = request.GetDescriptor()->FindFieldByName("name");
  call->NameCluster(request.GetReflection()->GetString(request, name));
}

}  // namespace

RequestCall::RequestCall(const RequestType& type, Boundary& boundary,
                         grpc::CallbackServerContext* context)
    : type_(type),
      boundary_(boundary),
      context_(context),
      call_(boundary.Begin(type.rpc, *context)) {}

void RequestCall::Begin() {
  boundary_.Prove(&call_, context_, [this](absl::StatusOr<Caller> caller) {
    if (!caller.ok()) return Refused(caller.status());
    const absl::Status may = boundary_.CheckRateAhead(type_.rpc, *caller);
    if (!may.ok()) return Refused(may);
    caller_ = *std::move(caller);
    auto waiting = boundary_.admission().Reserve(kCallBytes, boundary_.HolderAhead(caller_));
    if (!waiting.ok()) return Refused(waiting.status());
    waiting_ = *std::move(waiting);
    StartRead(&bytes_);
  });
}

void RequestCall::OnReadDone(bool ok) {
  if (!ok) return Refused(NoRequest());
  const absl::Status taken = TakeRequest();
  if (!taken.ok()) {
    bytes_.Clear();
    return Refused(taken);
  }
  Passed(caller_);
}

// gRPC itself answers a too large message and cancels the call.
absl::Status RequestCall::NoRequest() const {
  return context_->IsCancelled()
             ? absl::CancelledError("the caller has gone, or the message is too large")
             : Malformed("got none, want one");
}

absl::Status RequestCall::TakeRequest() {
  auto scanned = Scan(type_.scan, bytes_);
  if (!scanned.ok()) return scanned.status();
  scanned_ = *std::move(scanned);
  call_.SetCluster(scanned_.cluster);
  auto caller = boundary_.Authorize(call_, context_, std::move(caller_));
  if (!caller.ok()) return caller.status();
  caller_ = *std::move(caller);
  waiting_ = nullptr;
  const quotas::Holder holder = caller_.holder();
  auto place = boundary_.admission().Admit(kCallBytes, holder);
  if (!place.ok()) return place.status();
  auto room = RoomFor(scanned_, holder, boundary_.admission());
  if (!room.ok()) return room.status();
  place_ = *std::move(place);
  room_ = *std::move(room);
  return absl::OkStatus();
}

absl::Status RequestCall::ParseRequest(google::protobuf::Message* request) {
  if (absl::Status s = Parse(&bytes_, request); !s.ok()) return s;
  // The rights were checked for that cluster.
  if (ClusterOf(*request) != scanned_.cluster) {
    return Malformed("got more than one cluster, want one");
  }
  if (call_.is_observed()) NameInReport(*request, &call_);
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
