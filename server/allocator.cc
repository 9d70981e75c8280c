#include "server/allocator.h"

#include <malloc.h>
#include <unistd.h>

#include <cstdio>

namespace priorityd {
namespace {

// A thread's heap.
constexpr int kHeapBytes = 64 << 20;

// Resident memory without mapped files.
size_t ResidentBytes() {
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  size_t size = 0, resident = 0, shared = 0;
  const int read = std::fscanf(file, "%zu %zu %zu", &size, &resident, &shared);
  std::fclose(file);
  return read == 3 ? (resident - shared) * static_cast<size_t>(sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace

void KeepFreedMemory() {
  // The largest threshold that glibc accepts: larger blocks are mapped and unmapped one by one.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  // As large as a thread's heap can be, so that no heap is released.
  mallopt(M_TOP_PAD, kHeapBytes);
}

size_t FreedBytes() {
  const auto heap = mallinfo2();
  const size_t used = heap.uordblks + heap.hblkhd;
  const size_t resident = ResidentBytes();
  return resident > used ? resident - used : 0;
}

MemoryReturn::MemoryReturn(absl::Duration interval)
    : interval_(interval), thread_(threads::RunningTime) {
  thread_.Start([this] { return Check(); });
}

absl::Time MemoryReturn::Check() {
  const bool is_much = FreedBytes() > kMostKept;
  // Not at the first check: the next large call may have arrived already.
  if (is_much && was_much_) malloc_trim(0);
  was_much_ = is_much;
  return threads::RunningTime() + interval_;
}

}  // namespace priorityd
