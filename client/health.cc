// PriorityClient's call of gRPC's health protocol.
#include <google/protobuf/wrappers.pb.h>

#include <chrono>
#include <utility>

#include "absl/synchronization/notification.h"
#include "client/priority_client.h"
#include "client/rpc_error.h"
#include "client/stubs.h"
#include "grpcpp/generic/generic_stub.h"

namespace priorityd::client {
namespace {

// grpc.health.v1.HealthCheckRequest and HealthCheckResponse have one field each, number 1: a text
// and an enumeration. These have the same wire format.
using Request = google::protobuf::StringValue;
using Response = google::protobuf::Int32Value;
using HealthStub = grpc::TemplatedGenericStub<Request, Response>;

constexpr char kCheck[] = "/grpc.health.v1.Health/Check";
constexpr int kServing = 1;  // HealthCheckResponse.SERVING

}  // namespace

absl::StatusOr<bool> PriorityClient::Serving(const std::string& service) const {
  grpc::ClientContext context;
  if (options_.deadline < absl::InfiniteDuration()) {
    context.set_deadline(std::chrono::system_clock::now() +
                         absl::ToChronoNanoseconds(options_.deadline));
  }
  if (absl::Status proved = stubs_->Prove(&context); !proved.ok()) return proved;
  Request request;
  request.set_value(service);
  Response response;
  grpc::Status ended_as;
  absl::Notification ended;
  HealthStub(stubs_->LiveChannel())
      .UnaryCall(&context, kCheck, {}, &request, &response, [&](grpc::Status status) {
        ended_as = std::move(status);
        ended.Notify();
      });
  ended.WaitForNotification();
  if (absl::Status status = FromGrpc(ended_as); !status.ok()) return status;
  return response.value() == kServing;
}

}  // namespace priorityd::client
