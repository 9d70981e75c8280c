#include "server/allocator.h"

#include <malloc.h>

namespace priorityd {

void KeepFreedMemory() {
  // The largest that glibc takes: larger blocks are mapped and unmapped one by one.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  // As much as a thread's heap can be, so that none is given up.
  mallopt(M_TOP_PAD, 64 << 20);
}

}  // namespace priorityd
