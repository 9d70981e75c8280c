// The memory of this process.
#ifndef PRIORITYD_SERVER_STATUS_PROCESS_MEMORY_H_
#define PRIORITYD_SERVER_STATUS_PROCESS_MEMORY_H_

#include <cstdint>

namespace priorityd::status {

// What it has of the host's (RSS); 0 where the kernel does not say.
int64_t ResidentBytes();

}  // namespace priorityd::status

#endif  // PRIORITYD_SERVER_STATUS_PROCESS_MEMORY_H_
