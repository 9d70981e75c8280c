#include "client/prioctl/global_options.h"

#include <cstdlib>
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

TEST(GlobalOptionsTest, AnEmptyVariableNamesNoCluster) {
  prioctl::CommandLine line;
  setenv("PRIORITYD_CLUSTER", "", 1);
  prioctl::SettleCluster(line);
  EXPECT_FALSE(line.cluster_from_environment);
  setenv("PRIORITYD_CLUSTER", "orc", 1);
  prioctl::SettleCluster(line);
  unsetenv("PRIORITYD_CLUSTER");
  EXPECT_TRUE(line.cluster_from_environment);
  EXPECT_EQ(line.cluster, "orc");
}

TEST(GlobalOptionsTest, TheClusterThatACommandNamesPrecedesTheVariable) {
  prioctl::CommandLine line{.named_cluster = "site"};
  setenv("PRIORITYD_CLUSTER", "orc", 1);
  prioctl::SettleCluster(line);
  unsetenv("PRIORITYD_CLUSTER");
  EXPECT_EQ(line.cluster, "site");
}

}  // namespace
}  // namespace priorityd
