#include "server/threads/work_scope.h"

#include <gtest/gtest.h>

#include <thread>

namespace priorityd::threads {
namespace {

TEST(WorkScopeTest, TheInnermostOfAThreadDecides) {
  EXPECT_TRUE(WorkScope::CheckCurrent().ok());
  const auto gone = [] { return absl::CancelledError("gone"); };
  const auto needed = [] { return absl::OkStatus(); };
  const WorkScope outer(gone);
  EXPECT_EQ(WorkScope::CheckCurrent(), absl::CancelledError("gone"));
  {
    const WorkScope inner(needed);
    EXPECT_TRUE(WorkScope::CheckCurrent().ok());
  }
  EXPECT_EQ(WorkScope::CheckCurrent(), absl::CancelledError("gone"));
  std::thread([] { EXPECT_TRUE(WorkScope::CheckCurrent().ok()); }).join();
}

}  // namespace
}  // namespace priorityd::threads
