// The memory of this process.
#ifndef PRIORITYD_SERVER_STATUS_PROCESS_MEMORY_H_
#define PRIORITYD_SERVER_STATUS_PROCESS_MEMORY_H_

#include <cstdint>

namespace priorityd::status {

struct ProcessMemory {
  int64_t virtual_bytes = 0;   // Its address space.
  int64_t resident_bytes = 0;  // Resident set size.
};

// Zeros if the kernel does not provide them.
ProcessMemory ReadProcessMemory();

}  // namespace priorityd::status

#endif  // PRIORITYD_SERVER_STATUS_PROCESS_MEMORY_H_
