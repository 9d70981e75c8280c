// Encoded requests and answers of calls, with memory reserved for them and their conversion.
#ifndef PRIORITYD_SERVER_GATEWAY_MESSAGE_ROOM_H_
#define PRIORITYD_SERVER_GATEWAY_MESSAGE_ROOM_H_

#include <google/protobuf/message.h>
#include <grpcpp/support/byte_buffer.h>

#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/gateway/methods.h"
#include "server/http/exchange.h"
#include "server/transport/admission.h"
#include "server/transport/worker_pool.h"

namespace priorityd::gateway {

// The message in the query or the body of an HTTP request. Errors of BytesFromJson and FromQuery;
// RESOURCE_EXHAUSTED (MEMORY_BUDGET) without room for it.
absl::StatusOr<grpc::ByteBuffer> BytesOf(const http::Request& request, const Method& method,
                                         rpc::Admission& admission);
// For a small message.
grpc::ByteBuffer BytesOf(const google::protobuf::Message& message);

// Parses an answer; the room is for the message and its JSON. RESOURCE_EXHAUSTED (MEMORY_BUDGET).
absl::StatusOr<rpc::Admission::Room> ParseAnswer(grpc::ByteBuffer* bytes, rpc::Admission& admission,
                                                 Message* answer);

// Schedules `work` on an answer in the lane of the caller's host; the answer's bytes take room
// until it has run. RESOURCE_EXHAUSTED (MEMORY_BUDGET, SERVER_BUSY), without running it.
absl::Status ScheduleAnswer(const grpc::ByteBuffer& answer, const http::Request& asked,
                            rpc::Admission& admission, rpc::WorkerPool* pool,
                            std::function<void()> work);

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_MESSAGE_ROOM_H_
