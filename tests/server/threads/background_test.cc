#include "server/threads/background.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <cerrno>
#include <string>
#include <thread>
#include <vector>

#include "tests/denied_call.h"
#include "tests/server/logging/captured_log.h"

namespace priorityd::threads {
namespace {

TEST(BackgroundTest, ItLowersThePriorityOfItsThreadAlone) {
  const int before = getpriority(PRIO_PROCESS, 0);
  int after = 0;
  std::thread([&] {
    WorkInBackground();
    after = getpriority(PRIO_PROCESS, 0);
  }).join();
  EXPECT_GE(after, 10);
  EXPECT_EQ(getpriority(PRIO_PROCESS, 0), before);
}

TEST(BackgroundTest, AHostThatRefusesItIsLoggedOnce) {
  logging::CapturedLog log(/*json=*/false);
  bool is_denied = false;
  std::thread([&] {
    is_denied = DenyToThread(SYS_setpriority, PRIO_PROCESS, EPERM);
    WorkInBackground();
    WorkInBackground();
  }).join();
  ASSERT_TRUE(is_denied);
  const std::vector<std::string> lines = log.Take();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("competes with calls for the CPU: setpriority: Operation not permitted"),
            std::string::npos)
      << lines[0];
}

}  // namespace
}  // namespace priorityd::threads
