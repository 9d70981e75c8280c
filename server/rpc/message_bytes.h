// Messages as bytes: counted, then parsed; and made.
#ifndef PRIORITYD_SERVER_RPC_MESSAGE_BYTES_H_
#define PRIORITYD_SERVER_RPC_MESSAGE_BYTES_H_

#include <google/protobuf/message.h>
#include <grpcpp/support/byte_buffer.h>

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/rpc/admission.h"
#include "server/rpc/validate.h"
#include "server/wire/message_scan.h"

namespace priorityd::rpc {

// For messages of this type, with the bounds that `limits` have for their fields.
wire::MessageScan ScanOf(const google::protobuf::Descriptor& type,
                         const RequestLimits& limits = {});

// What came as bytes, counted. Errors of wire::MessageScan.
absl::StatusOr<wire::Scanned> Scan(const wire::MessageScan& scan, const grpc::ByteBuffer& bytes);

// Room for a request. INVALID_ARGUMENT (HOLLOW_MESSAGE) where it would be far larger in memory than
// on its way: more than kTimesWire times, and an eighth of all memory besides; RESOURCE_EXHAUSTED
// (MEMORY_BUDGET).
inline constexpr size_t kTimesWire = 8;
absl::StatusOr<Admission::Room> RoomFor(const wire::Scanned& request, Admission& admission);

// Parses, and lets go of the bytes. INVALID_ARGUMENT (INVALID_MESSAGE).
absl::Status Parse(grpc::ByteBuffer* bytes, google::protobuf::Message* message);

absl::Status Encode(const google::protobuf::Message& message, grpc::ByteBuffer* bytes);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_MESSAGE_BYTES_H_
