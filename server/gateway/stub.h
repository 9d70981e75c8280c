// Calls of the server in this process.
#ifndef PRIORITYD_SERVER_GATEWAY_STUB_H_
#define PRIORITYD_SERVER_GATEWAY_STUB_H_

#include <google/protobuf/message.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include <chrono>

namespace priorityd::gateway {

// Calls with messages of any type.
using Stub = grpc::TemplatedGenericStub<google::protobuf::Message, google::protobuf::Message>;

// How long a request may take until it is answered.
inline constexpr std::chrono::seconds kPatience(120);

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_STUB_H_
