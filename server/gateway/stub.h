// Calls of the server in this process.
#ifndef PRIORITYD_SERVER_GATEWAY_STUB_H_
#define PRIORITYD_SERVER_GATEWAY_STUB_H_

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>

#include <chrono>

namespace priorityd::gateway {

// Calls with messages of any type, as bytes.
using Stub = grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer>;

// How long a request may take until it is answered.
inline constexpr std::chrono::seconds kPatience(120);

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_STUB_H_
