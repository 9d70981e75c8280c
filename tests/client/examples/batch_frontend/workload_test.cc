#include "client/examples/batch_frontend/workload.h"

#include "client/examples/batch_frontend/site_files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::batch_frontend {
namespace {

using ::testing::HasSubstr;

const absl::Time kWorkloadStart = absl::FromUnixSeconds(1'000'000);

swf::SwfJob Ran(int64_t number, int64_t after_seconds, int64_t processors, int64_t run_seconds) {
  return {.number = number,
          .submit_time = kWorkloadStart + absl::Seconds(after_seconds),
          .run_time = absl::Seconds(run_seconds),
          .processors = processors,
          .user = 3};
}

TEST(WorkloadTest, ProcessorsBecomeTheFewestNodesAlikeOnEach) {
  const auto request = [](int64_t processors, int cpus_per_node) {
    return MakeWorkload({Ran(1, 0, processors, 1)}, {.cpus_per_node = cpus_per_node})[0].request;
  };
  EXPECT_EQ(request(128, 1), (NodeRequest{.nodes = 128, .cpus_per_node = 1}));
  EXPECT_EQ(request(3, 4), (NodeRequest{.nodes = 1, .cpus_per_node = 3}));
  EXPECT_EQ(request(8, 4), (NodeRequest{.nodes = 2, .cpus_per_node = 4}));
  EXPECT_EQ(request(9, 4), (NodeRequest{.nodes = 3, .cpus_per_node = 3}));
  EXPECT_EQ(request(5, 4), (NodeRequest{.nodes = 2, .cpus_per_node = 3}));
}

TEST(WorkloadTest, TimeLimitsAreTheTracesOrTheRunTimeInWholeMinutes) {
  swf::SwfJob requested = Ran(1, 0, 1, 30);
  requested.requested_time = absl::Hours(2);
  EXPECT_EQ(MakeWorkload({requested}, {})[0].time_limit, absl::Hours(2));
  EXPECT_EQ(MakeWorkload({Ran(1, 0, 1, 61)}, {})[0].time_limit, absl::Minutes(2));
  EXPECT_EQ(MakeWorkload({Ran(1, 0, 1, 60)}, {})[0].time_limit, absl::Minutes(1));
  EXPECT_EQ(MakeWorkload({Ran(1, 0, 1, 61)}, {.overestimate = 5})[0].time_limit, absl::Minutes(6));
}

TEST(WorkloadTest, ALoadFactorBringsJobsCloserAndLeavesThemAsTheyAre) {
  const auto jobs = MakeWorkload({Ran(1, 0, 1, 100), Ran(2, 100, 1, 100)}, {.load_factor = 4});
  EXPECT_EQ(jobs[0].submit_time, kWorkloadStart);
  EXPECT_EQ(jobs[1].submit_time, kWorkloadStart + absl::Seconds(25));
  EXPECT_EQ(jobs[1].run_time, absl::Seconds(100));
}

TEST(WorkloadTest, JobsThatNeverRanAreLeftOut) {
  swf::SwfJob cancelled = Ran(1, 0, 1, 0);
  cancelled.run_time = std::nullopt;
  const auto jobs = MakeWorkload({cancelled, Ran(2, 0, 0, 1), Ran(3, 5, 1, 0)}, {});
  ASSERT_EQ(jobs.size(), 1);
  EXPECT_EQ(jobs[0].id, "3");
  EXPECT_EQ(jobs[0].run_time, absl::Seconds(1));
}

TEST(WorkloadTest, JobsComeInTheOrderOfSubmission) {
  const auto jobs = MakeWorkload({Ran(1, 9, 1, 1), Ran(2, 3, 1, 1), Ran(3, 9, 1, 1)}, {});
  EXPECT_EQ(jobs[0].id, "2");
  EXPECT_EQ(jobs[1].id, "1");
  EXPECT_EQ(jobs[2].id, "3");
}

TEST(SiteFilesTest, EachUserHasOneShare) {
  const std::string dump = SacctmgrDump("c", {{.user = "u2"}, {.user = "u1"}, {.user = "u2"}});
  EXPECT_THAT(dump, HasSubstr("Parent - 'users'\n"
                              "User - 'u1':DefaultAccount='users':Fairshare=1\n"
                              "User - 'u2':DefaultAccount='users':Fairshare=1\n"));
}

}  // namespace
}  // namespace priorityd::batch_frontend
