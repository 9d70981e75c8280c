// Policy of malloc for the memory that large calls free.
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

// Approximate memory that malloc holds free and has not returned to the kernel.
size_t FreedBytes();

// Returns memory kept by KeepFreedMemory to the kernel once it has been unused for a while.
class MemoryReturn {
 public:
  // Interval of the checks. Memory that two consecutive checks find free is returned.
  static constexpr absl::Duration kCheckInterval = absl::Seconds(15);
  // Free memory up to this size is kept.
  static constexpr size_t kMostKept = size_t{32} << 20;

  explicit MemoryReturn(absl::Duration interval = kCheckInterval);

 private:
  absl::Time Check();

  const absl::Duration interval_;
  bool was_much_ = false;  // At the last check.
  threads::PeriodicThread thread_;
};

}  // namespace priorityd

#endif  // PRIORITYD_SERVER_ALLOCATOR_H_
