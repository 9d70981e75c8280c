#include "server/status/process_memory.h"

#include <unistd.h>

#include <fstream>

namespace priorityd::status {

ProcessMemory ReadProcessMemory() {
  std::ifstream statm("/proc/self/statm");
  int64_t pages = 0, resident = 0;
  if (!(statm >> pages >> resident)) return {};
  const int64_t page = sysconf(_SC_PAGESIZE);
  return {pages * page, resident * page};
}

}  // namespace priorityd::status
