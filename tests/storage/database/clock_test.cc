#include "storage/database/clock.h"

#include <gtest/gtest.h>

#include "absl/time/clock.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

class ClockTest : public StoreTest {};

TEST_F(ClockTest, ContinuesWithinATransaction) {
  const absl::Time before = absl::Now() - absl::Microseconds(1);
  absl::Time first, second;
  ASSERT_OK(Write([&](Transaction& transaction) -> absl::Status {
    first = ReadClock(transaction).value();
    second = ReadClock(transaction).value();
    return absl::OkStatus();
  }));
  EXPECT_GE(first, before);
  EXPECT_GT(second, first);
  EXPECT_LE(second, absl::Now());
}

}  // namespace
}  // namespace priorityd::storage
