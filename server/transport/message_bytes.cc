#include "server/transport/message_bytes.h"

#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/slice.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "engine/errors/error_details.h"

namespace priorityd::rpc {
namespace {

using google::protobuf::Message;

// Engine types need about as much memory as the messages they are built from.
constexpr size_t kTimesParsed = 2;
constexpr size_t kHollowPart = 8;
// A policy of many short words or lines takes up to 72 times its text once it is read.
constexpr uint32_t kTimesPolicy = 72;

absl::Status Malformed(absl::string_view what) {
  return errors::WithReason(absl::InvalidArgumentError(absl::StrCat("the message: ", what)),
                            "INVALID_MESSAGE");
}

}  // namespace

wire::MessageScan ScanOf(const google::protobuf::Descriptor& type, const RequestLimits& limits) {
  return wire::MessageScan(type,
                           {{"jobs.jobs", limits.max_jobs},
                            {"upserts", limits.max_jobs},
                            {"removals", limits.max_jobs},
                            {"job_ids", limits.max_jobs},
                            {"placements", limits.max_jobs},
                            {"records", limits.max_records},
                            {"batch.records", limits.max_records},
                            {"shares", limits.max_suppositions},
                            {"usage", limits.max_suppositions}},
                           {{"policy_text", kTimesPolicy}, {"text", kTimesPolicy}});
}

absl::StatusOr<wire::Scanned> Scan(const wire::MessageScan& scan, const grpc::ByteBuffer& bytes) {
  std::vector<grpc::Slice> slices;
  if (!bytes.Dump(&slices).ok()) return Malformed("got none, want one");
  std::vector<absl::string_view> chunks;
  chunks.reserve(slices.size());
  for (const grpc::Slice& slice : slices) {
    chunks.emplace_back(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return scan.Scan(chunks);
}

absl::StatusOr<Admission::Room> RoomFor(const wire::Scanned& request, const quotas::Holder& holder,
                                        Admission& admission) {
  const size_t most = kTimesWire * request.wire_bytes + admission.most_bytes() / kHollowPart;
  if (request.parsed_bytes > most) {
    return errors::WithReason(
        absl::InvalidArgumentError(absl::StrCat(
            "the message: got ", request.wire_bytes, " bytes that become ", request.parsed_bytes,
            " in memory, want at most ", most, ": many of its parts are empty")),
        "HOLLOW_MESSAGE");
  }
  const size_t bytes =
      request.wire_bytes + kTimesParsed * request.parsed_bytes + request.text_bytes;
  return admission.Reserve(bytes, holder);
}

absl::Status Parse(grpc::ByteBuffer* bytes, Message* message) {
  const grpc::Status parsed =
      grpc::GenericDeserialize<grpc::ProtoBufferReader, Message>(bytes, message);
  bytes->Clear();
  if (parsed.ok()) return absl::OkStatus();
  return Malformed(absl::StrCat("got no ", message->GetTypeName(), ", want one"));
}

absl::Status Encode(const Message& message, grpc::ByteBuffer* bytes) {
  bool own_buffer = false;
  const grpc::Status encoded =
      grpc::GenericSerialize<grpc::ProtoBufferWriter, Message>(message, bytes, &own_buffer);
  return encoded.ok() ? absl::OkStatus() : absl::InternalError(encoded.error_message());
}

}  // namespace priorityd::rpc
