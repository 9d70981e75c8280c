#include "server/gateway/message_room.h"

#include <grpcpp/support/slice.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/synchronization/mutex.h"
#include "server/gateway/transcoding.h"
#include "server/identity/peer_host.h"
#include "server/transport/message_bytes.h"
#include "server/wire/json_estimate.h"
#include "server/wire/message_scan.h"

namespace priorityd::gateway {
namespace {

// The message, its bytes in another order, and its text.
constexpr size_t kTimesAnswered = 3;

const wire::MessageScan& ScanOfAnswers(const google::protobuf::Descriptor& type) {
  static absl::Mutex mutex;
  static auto* const scans =
      new std::map<const google::protobuf::Descriptor*, std::unique_ptr<wire::MessageScan>>;
  absl::MutexLock lock(&mutex);
  std::unique_ptr<wire::MessageScan>& scan = (*scans)[&type];
  if (scan == nullptr) scan = std::make_unique<wire::MessageScan>(type);
  return *scan;
}

// A buffer of the text's own bytes.
grpc::ByteBuffer BufferOf(std::string text) {
  auto* const owned = new std::string(std::move(text));
  grpc::Slice slice(
      owned->data(), owned->size(), [](void* holder) { delete static_cast<std::string*>(holder); },
      owned);
  return grpc::ByteBuffer(&slice, 1);
}

}  // namespace

absl::StatusOr<grpc::ByteBuffer> BytesOf(const http::Request& request, const Method& method,
                                         rpc::Admission& admission) {
  if (request.IsRead()) {
    const std::unique_ptr<Message> message = method.NewRequest();
    if (absl::Status s = FromQuery(request.query, message.get()); !s.ok()) return s;
    return BytesOf(*message);
  }
  const auto room = admission.Reserve(wire::EstimateJson(request.body));
  if (!room.ok()) return room.status();
  auto bytes = BytesFromJson(request.body, *method.descriptor->input_type());
  if (!bytes.ok()) return bytes.status();
  return BufferOf(*std::move(bytes));
}

grpc::ByteBuffer BytesOf(const google::protobuf::Message& message) {
  return BufferOf(message.SerializeAsString());
}

absl::StatusOr<rpc::Admission::Room> ParseAnswer(grpc::ByteBuffer* bytes, rpc::Admission& admission,
                                                 Message* answer) {
  const auto scanned = rpc::Scan(ScanOfAnswers(*answer->GetDescriptor()), *bytes);
  if (!scanned.ok()) return scanned.status();
  auto room = admission.Reserve(kTimesAnswered * (scanned->wire_bytes + scanned->parsed_bytes));
  if (!room.ok()) return room.status();
  if (absl::Status s = rpc::Parse(bytes, answer); !s.ok()) return s;
  return room;
}

absl::Status ScheduleAnswer(const grpc::ByteBuffer& answer, const http::Request& asked,
                            rpc::Admission& admission, rpc::WorkerPool* pool,
                            std::function<void()> work) {
  const auto room = admission.Reserve(answer.Length());
  if (!room.ok()) return room.status();
  const std::string host = identity::HostOfPeer(asked.peer.address);
  const bool taken =
      pool->TrySchedule(host, [room = *room, work = std::move(work)] { return work(), true; });
  return taken ? absl::OkStatus() : rpc::BusyError();
}

}  // namespace priorityd::gateway
