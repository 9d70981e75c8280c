// Which calls are at work, and how much memory requests and answers take together.
#ifndef PRIORITYD_SERVER_RPC_ADMISSION_H_
#define PRIORITYD_SERVER_RPC_ADMISSION_H_

#include <cstddef>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace priorityd::rpc {

// What a call takes besides its request, about.
inline constexpr size_t kCallBytes = 16 << 10;

// The memory that is there for requests and answers, in bytes. Thread-safe.
class Admission {
 public:
  // A call at work, until the last copy goes; and some of the memory.
  using Place = std::shared_ptr<void>;
  using Room = std::shared_ptr<void>;

  explicit Admission(size_t most_bytes) : most_bytes_(most_bytes) {}

  // RESOURCE_EXHAUSTED (MEMORY_BUDGET, with the time to wait) when so many bytes find no room
  // beside what is taken. This must outlive places and rooms.
  absl::StatusOr<Place> Admit(size_t bytes);
  absl::StatusOr<Room> Reserve(size_t bytes);

  // The same for who keeps count. False, and nothing is taken, where there is no room.
  bool Take(size_t bytes) ABSL_LOCKS_EXCLUDED(mutex_);
  void GiveBack(size_t bytes) ABSL_LOCKS_EXCLUDED(mutex_);

  // Until no call is at work; false if there is one still at `deadline`.
  bool AwaitNone(absl::Time deadline);

  size_t bytes() const;
  size_t most_bytes() const { return most_bytes_; }
  size_t calls() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void Leave(size_t bytes) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status NoRoom(size_t bytes) const ABSL_LOCKS_EXCLUDED(mutex_);
  bool IsIdle() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return calls_ == 0; }

  const size_t most_bytes_;
  mutable absl::Mutex mutex_;
  size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t calls_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_ADMISSION_H_
