#include "client/prioctl/global_options.h"

#include <string>

#include "gtest/gtest.h"
#include "tests/client/run_prioctl.h"

namespace priorityd {
namespace {

TEST(GlobalOptionsTest, TheSocketOfThePackageComesFirstWhereTheUserMayOpenIt) {
  const std::string socket = WriteFile("grpc.socket", "");
  EXPECT_EQ(prioctl::DefaultServer(socket), "unix:" + socket);
  EXPECT_EQ(prioctl::DefaultServer(socket + ".missing"), "127.0.0.1:7411");
}

}  // namespace
}  // namespace priorityd
