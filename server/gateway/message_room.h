// Requests and answers of calls as bytes, with room in memory for what is made of them.
#ifndef PRIORITYD_SERVER_GATEWAY_MESSAGE_ROOM_H_
#define PRIORITYD_SERVER_GATEWAY_MESSAGE_ROOM_H_

#include <google/protobuf/message.h>
#include <grpcpp/support/byte_buffer.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/gateway/methods.h"
#include "server/http/exchange.h"
#include "server/rpc/admission.h"

namespace priorityd::gateway {

// The message that a request over HTTP has in its query or in its body. Errors of BytesFromJson and
// FromQuery; RESOURCE_EXHAUSTED (MEMORY_BUDGET) where there is no room to make it.
absl::StatusOr<grpc::ByteBuffer> BytesOf(const http::Request& request, const Method& method,
                                         rpc::Admission& admission);
// Of a message that is small.
grpc::ByteBuffer BytesOf(const google::protobuf::Message& message);

// Parses an answer; the room is for it and for the JSON that is made of it. RESOURCE_EXHAUSTED
// (MEMORY_BUDGET).
absl::StatusOr<rpc::Admission::Room> ParseAnswer(grpc::ByteBuffer* bytes, rpc::Admission& admission,
                                                 Message* answer);

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_MESSAGE_ROOM_H_
