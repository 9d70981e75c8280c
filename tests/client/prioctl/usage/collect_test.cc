// `prioctl collect` with a program that prints its arguments.
#include "client/prioctl/usage/collect.h"

#include <sys/stat.h>

#include <cstdlib>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/run_prioctl.h"

namespace priorityd {
namespace {

using ::testing::HasSubstr;

// A PATH with nothing in it but a priorityd-collect.
class CollectTest : public ::testing::Test {
 protected:
  CollectTest() : path_(std::getenv("PATH")) {}
  ~CollectTest() override { setenv("PATH", path_.c_str(), 1); }

  void Install(const std::string& script) {
    const std::string program = WriteFile("priorityd-collect", script);
    chmod(program.c_str(), 0755);
    setenv("PATH", program.substr(0, program.rfind('/')).c_str(), 1);
  }

 private:
  const std::string path_;
};

TEST_F(CollectTest, WordsAfterItAreTheProgramsAndThoseBeforeItAreInTheEnvironment) {
  Install("#!/bin/sh\necho \"$PRIORITYD_SERVER $PRIORITYD_CLUSTER: $*\"\nexit 7\n");
  const Finished run = RunPrioctl({"--server", "a:1", "--cluster", "c", "collect", "sacct", "log",
                                   "--since", "7d", "--server", "b:2", "--help", "rank"});
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_EQ(run.out, "a:1 c: sacct log --since 7d --server b:2 --help rank\n");
  EXPECT_EQ(RunPrioctl({"collect", "--help"}).out, "127.0.0.1:7411 : --help\n");
}

TEST_F(CollectTest, WhereThereIsNoSuchProgramItIsSaidWhatIsWanted) {
  setenv("PATH", "/nowhere", 1);
  const Finished run = RunPrioctl({"collect", "pbs", "log"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("priorityd-collect: No such file or directory, want it in PATH"));
}

TEST_F(CollectTest, WhereThereIsNoSuchProgramItsHelpSaysThat) {
  setenv("PATH", "/nowhere", 1);
  const Finished run = RunPrioctl({"collect", "--help"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("priorityd-collect, which is not in PATH"));
}

}  // namespace
}  // namespace priorityd
