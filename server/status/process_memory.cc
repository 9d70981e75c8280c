#include "server/status/process_memory.h"

#include <unistd.h>

#include <fstream>

namespace priorityd::status {

int64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t size = 0, resident = 0;
  if (!(statm >> size >> resident)) return 0;
  return resident * sysconf(_SC_PAGESIZE);
}

}  // namespace priorityd::status
