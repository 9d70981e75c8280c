// Encoded messages: counts, parses and encodes them.
#ifndef PRIORITYD_SERVER_TRANSPORT_MESSAGE_BYTES_H_
#define PRIORITYD_SERVER_TRANSPORT_MESSAGE_BYTES_H_

#include <google/protobuf/message.h>
#include <grpcpp/support/byte_buffer.h>

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/transport/admission.h"
#include "server/transport/request_limits.h"
#include "server/wire/message_scan.h"

namespace priorityd::rpc {

// For messages of this type, with the bounds of their fields in `limits`.
wire::MessageScan ScanOf(const google::protobuf::Descriptor& type,
                         const RequestLimits& limits = {});

// Counts an encoded message. Errors of wire::MessageScan.
absl::StatusOr<wire::Scanned> Scan(const wire::MessageScan& scan, const grpc::ByteBuffer& bytes);

// Reserves room for a request and for what its texts become. INVALID_ARGUMENT (HOLLOW_MESSAGE) if
// it would be far larger in memory than encoded: more than kTimesWire times its encoded size plus
// an eighth of all memory; errors of Admission::Reserve.
inline constexpr size_t kTimesWire = 8;
absl::StatusOr<Admission::Room> RoomFor(const wire::Scanned& request, const quotas::Holder& holder,
                                        Admission& admission);

// Parses, and frees the bytes. INVALID_ARGUMENT (INVALID_MESSAGE).
absl::Status Parse(grpc::ByteBuffer* bytes, google::protobuf::Message* message);

absl::Status Encode(const google::protobuf::Message& message, grpc::ByteBuffer* bytes);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_TRANSPORT_MESSAGE_BYTES_H_
