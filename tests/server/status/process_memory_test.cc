#include "server/status/process_memory.h"

#include <gtest/gtest.h>

#include <vector>

namespace priorityd::status {
namespace {

TEST(ResidentBytesTest, GrowByWhatIsWritten) {
  const int64_t before = ResidentBytes();
  EXPECT_GT(before, 1 << 20);
  const std::vector<char> written(64 << 20, 'x');
  EXPECT_GT(ResidentBytes(), before + (48 << 20)) << written.back();
}

}  // namespace
}  // namespace priorityd::status
