#include "server/transport/admission.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"

namespace priorityd::rpc {
namespace {

constexpr absl::Duration kRetryDelay = absl::Seconds(1);

}  // namespace

Admission::Admission(size_t most_bytes, const quotas::Parts& parts)
    : most_bytes_(most_bytes),
      parts_(parts.RuleOf(quotas::kRequestBytes, most_bytes,
                          "retry when earlier calls have ended and their answers are read")) {}

absl::Status Admission::NoRoom(size_t bytes) const {
  return errors::WithRetryDelay(
      errors::WithReason(absl::ResourceExhaustedError(absl::StrCat(
                             "--memory_budget: got a request of ", bytes, " bytes beside ",
                             this->bytes(), ", want at most ", most_bytes_, " together; retry")),
                         "MEMORY_BUDGET"),
      kRetryDelay);
}

absl::StatusOr<Admission::Place> Admission::Admit(size_t bytes) {
  if (!Take(bytes)) return NoRoom(bytes);
  absl::MutexLock lock(&mutex_);
  ++calls_;
  return Place(this, [bytes](Admission* admission) { admission->Leave(bytes); });
}

absl::StatusOr<Admission::Room> Admission::Reserve(size_t bytes) {
  if (!Take(bytes)) return NoRoom(bytes);
  return Room(this, [bytes](Admission* admission) { admission->GiveBack(bytes); });
}

absl::StatusOr<Admission::Place> Admission::Admit(size_t bytes, const quotas::Holder& holder) {
  return OfPart(Admit(bytes), bytes, holder);
}

absl::StatusOr<Admission::Room> Admission::Reserve(size_t bytes, const quotas::Holder& holder) {
  return OfPart(Reserve(bytes), bytes, holder);
}

absl::StatusOr<std::shared_ptr<void>> Admission::OfPart(
    absl::StatusOr<std::shared_ptr<void>> memory, size_t bytes, const quotas::Holder& holder) {
  if (!memory.ok()) return memory;
  auto share = parts_.Take(holder, bytes);
  if (!share.ok()) return errors::WithRetryDelay(share.status(), kRetryDelay);
  using Both = std::pair<quotas::Share, std::shared_ptr<void>>;
  return std::shared_ptr<void>(std::make_shared<Both>(*std::move(share), *std::move(memory)));
}

bool Admission::Take(size_t bytes) {
  absl::MutexLock lock(&mutex_);
  if (bytes > most_bytes_ - bytes_) return false;
  bytes_ += bytes;
  return true;
}

void Admission::GiveBack(size_t bytes) {
  absl::MutexLock lock(&mutex_);
  bytes_ -= bytes;
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

}  // namespace priorityd::rpc
