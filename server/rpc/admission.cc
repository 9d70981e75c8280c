#include "server/rpc/admission.h"

#include <google/protobuf/arena.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/errors/error_details.h"

namespace priorityd::rpc {
namespace {

constexpr absl::Duration kRetryDelay = absl::Seconds(1);

absl::Status NoRoom(size_t bytes, size_t beside, size_t most) {
  return errors::WithRetryDelay(
      errors::WithReason(absl::ResourceExhaustedError(absl::StrCat(
                             "--memory_budget: got a request of ", bytes, " bytes beside ", beside,
                             ", want at most ", most, " together; try again")),
                         "MEMORY_BUDGET"),
      kRetryDelay);
}

}  // namespace

absl::StatusOr<Admission::Place> Admission::Admit(size_t bytes) {
  absl::MutexLock lock(&mutex_);
  const bool fits = bytes <= most_bytes_ && bytes_ <= most_bytes_ - bytes;
  if (!fits && bytes_ >= most_bytes_ / 2) return NoRoom(bytes, bytes_, most_bytes_);
  bytes_ += bytes;
  ++calls_;
  return Place(this, [bytes](Admission* admission) { admission->Leave(bytes); });
}

void Admission::Leave(size_t bytes) {
  absl::MutexLock lock(&mutex_);
  bytes_ -= bytes;
  --calls_;
}

bool Admission::AwaitNone(absl::Time deadline) {
  absl::MutexLock lock(&mutex_);
  return mutex_.AwaitWithDeadline(absl::Condition(this, &Admission::IsIdle), deadline);
}

size_t Admission::bytes() const {
  absl::MutexLock lock(&mutex_);
  return bytes_;
}

size_t Admission::calls() const {
  absl::MutexLock lock(&mutex_);
  return calls_;
}

// On an arena texts are on the heap nevertheless; off it a message takes about three times what
// it took on the wire.
size_t Admission::BytesOf(const google::protobuf::Message& request) {
  const size_t wire = request.ByteSizeLong();
  const google::protobuf::Arena* arena = request.GetArena();
  return kCallBytes + wire + (arena == nullptr ? 2 * wire : arena->SpaceUsed());
}

}  // namespace priorityd::rpc
