// Running calls, and the memory of their requests and answers, of which a caller has a part.
#ifndef PRIORITYD_SERVER_TRANSPORT_ADMISSION_H_
#define PRIORITYD_SERVER_TRANSPORT_ADMISSION_H_

#include <cstddef>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/quotas/parts.h"
#include "server/quotas/quota.h"

namespace priorityd::rpc {

// The approximate memory of a call besides its request.
inline constexpr size_t kCallBytes = 16 << 10;

// The memory budget of requests and answers, in bytes. Thread-safe.
class Admission {
 public:
  // A running call, and a part of the memory, until the last copy is destroyed.
  using Place = std::shared_ptr<void>;
  using Room = std::shared_ptr<void>;

  explicit Admission(size_t most_bytes, const quotas::Parts& parts = {});

  // RESOURCE_EXHAUSTED (MEMORY_BUDGET, with the time to wait) if the budget has no room for that
  // many bytes. This must outlive places and rooms.
  absl::StatusOr<Place> Admit(size_t bytes);
  absl::StatusOr<Room> Reserve(size_t bytes);
  // The same for a caller. Also RESOURCE_EXHAUSTED (QUOTA_EXCEEDED, with the time to wait) if the
  // caller's part has none.
  absl::StatusOr<Place> Admit(size_t bytes, const quotas::Holder& holder);
  absl::StatusOr<Room> Reserve(size_t bytes, const quotas::Holder& holder);

  // The same for callers that count themselves. Without room, returns false and takes nothing.
  bool Take(size_t bytes) ABSL_LOCKS_EXCLUDED(mutex_);
  void GiveBack(size_t bytes) ABSL_LOCKS_EXCLUDED(mutex_);

  // Waits until no call is running; false if one still is at `deadline`.
  bool AwaitNone(absl::Time deadline);

  size_t bytes() const;
  size_t most_bytes() const { return most_bytes_; }
  size_t calls() const ABSL_LOCKS_EXCLUDED(mutex_);
  // The memory that each caller holds.
  quotas::Usage usage() const { return parts_.usage(); }

 private:
  // The memory with what it takes of the holder's part.
  absl::StatusOr<std::shared_ptr<void>> OfPart(absl::StatusOr<std::shared_ptr<void>> memory,
                                               size_t bytes, const quotas::Holder& holder);
  void Leave(size_t bytes) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status NoRoom(size_t bytes) const ABSL_LOCKS_EXCLUDED(mutex_);
  bool IsIdle() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return calls_ == 0; }

  const size_t most_bytes_;
  quotas::Quota parts_;
  mutable absl::Mutex mutex_;
  size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t calls_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_TRANSPORT_ADMISSION_H_
