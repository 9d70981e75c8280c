// The program itself, where it need not reach a service.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/run_prioctl.h"

namespace priorityd::batch_frontend {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Finished RunFrontend(const std::vector<std::string>& arguments) {
  return RunProgram("client/examples/batch_frontend/batch_frontend", arguments);
}

TEST(BatchFrontendProgramTest, AFaultOfTheTraceIsOneLineWithFileAndLine) {
  const Finished run = RunFrontend({WriteFile("bad.swf", "; a header\n1 2 3\n"), "--nodes", "4"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, StartsWith("batch_frontend: "));
  EXPECT_THAT(run.err, EndsWith("bad.swf line 2: got 3 fields, want 18\n"));
}

TEST(BatchFrontendProgramTest, ATraceWithoutJobsIsAFault) {
  const Finished run = RunFrontend({WriteFile("empty.swf", "; a header\n"), "--nodes", "4"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, EndsWith("empty.swf: no jobs\n"));
}

TEST(BatchFrontendProgramTest, FlagsOutOfRangeAreNamed) {
  const std::string trace = WriteFile("any.swf", "");
  EXPECT_THAT(RunFrontend({trace}).err, HasSubstr("--nodes is required"));
  EXPECT_THAT(RunFrontend({trace, "--nodes", "0"}).err, HasSubstr("--nodes: Value 0 not in range"));
  EXPECT_THAT(RunFrontend({trace, "--nodes", "4", "--load-factor", "0"}).err,
              HasSubstr("--load-factor"));
}

}  // namespace
}  // namespace priorityd::batch_frontend
