#include "server/status/process_memory.h"

#include <gtest/gtest.h>

#include <vector>

namespace priorityd::status {
namespace {

TEST(ProcessMemoryTest, ResidentBytesGrowByWhatIsWritten) {
  const int64_t before = ReadProcessMemory().resident_bytes;
  EXPECT_GT(before, 1 << 20);
  const std::vector<char> written(64 << 20, 'x');
  EXPECT_GT(ReadProcessMemory().resident_bytes, before + (48 << 20)) << written.back();
  EXPECT_GT(ReadProcessMemory().virtual_bytes, ReadProcessMemory().resident_bytes);
}

}  // namespace
}  // namespace priorityd::status
