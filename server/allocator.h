// How malloc treats memory that large calls have given back.
#ifndef PRIORITYD_SERVER_ALLOCATOR_H_
#define PRIORITYD_SERVER_ALLOCATOR_H_

#include <cstddef>

#include "absl/time/time.h"
#include "server/threads/clock.h"
#include "server/threads/periodic_thread.h"

namespace priorityd {

// Makes glibc's malloc keep freed memory for the next call, up to some hundred
// MiB, rather than return it to the kernel: a RankJobs of 100,000 jobs spent a
// third of its time in page faults. Call before any thread is started.
void KeepFreedMemory();

// Memory of this process that nothing uses and the kernel does not have either, about.
size_t FreedBytes();

// Returns to the kernel what KeepFreedMemory has kept and nobody has needed for a while.
class MemoryReturn {
 public:
  // It looks so often; what is free at two looks one after another goes.
  static constexpr absl::Duration kBetweenLooks = absl::Seconds(15);
  // So much may stay.
  static constexpr size_t kMayStay = size_t{32} << 20;

  explicit MemoryReturn(absl::Duration between_looks = kBetweenLooks);

 private:
  absl::Time Look();

  const absl::Duration between_looks_;
  bool was_much_ = false;  // At the last look.
  threads::PeriodicThread thread_;
};

}  // namespace priorityd

#endif  // PRIORITYD_SERVER_ALLOCATOR_H_
