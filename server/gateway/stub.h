// A client of the server in this process.
#ifndef PRIORITYD_SERVER_GATEWAY_STUB_H_
#define PRIORITYD_SERVER_GATEWAY_STUB_H_

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>

#include <chrono>

namespace priorityd::gateway {

// Calls with encoded messages of any type.
using Stub = grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer>;

// The time limit of a request.
inline constexpr std::chrono::seconds kPatience(120);

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_STUB_H_
