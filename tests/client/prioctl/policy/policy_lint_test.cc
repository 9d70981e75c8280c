// What prioctl asks and prints with policy lint.

#include <fstream>

#include "tests/client/prioctl/prioctl_fixture.h"
#include "tests/temporary_folder.h"

namespace priorityd {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST_F(PrioctlTest, PolicyLintPrintsRangesAndFindings) {
  fake_.lint_policy.Answer([](const auto&, v1::LintPolicyResponse* response) {
    v1::FactorRange* range = response->add_ranges();
    range->set_name("fair_share");
    range->set_highest_contribution(1000);
    range->set_range(1000);
    range->add_overturns("age");
    v1::PolicyFinding* finding = response->add_findings();
    finding->set_code("NO_WEIGHT");
    finding->set_message("No weight is set.");
    return grpc::Status::OK;
  });
  Finished run = Run({"policy", "lint"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("points possible"), HasSubstr("1000.00"), HasSubstr("age"),
                             HasSubstr("NO_WEIGHT: No weight is set.\n")));
  EXPECT_FALSE(fake_.lint_policy.requests()[0].has_jobs());
  run = Run({"policy", "lint", "-", "--json"}, kTwoJobs);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(IsOneLine(), HasSubstr("\"findings\":[{")));
  EXPECT_EQ(fake_.lint_policy.requests()[1].jobs().jobs_size(), 2);
}

TEST_F(PrioctlTest, PolicyLintTakesASlurmConfInPlaceOfJobsOrBesideThem) {
  fake_.lint_policy.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  const TemporaryFolder folder;
  const std::string conf = folder.path() + "/new.conf";
  std::ofstream(conf) << "# of next year\nPriorityWeightAge=7\n";
  EXPECT_THAT(Output({"policy", "lint", conf}), HasSubstr("as if " + conf + " were in force; "));
  EXPECT_EQ(Run({"policy", "lint", "-", "--policy", conf}, kTwoJobs).exit_code, 0);
  EXPECT_EQ(Run({"policy", "lint", "--policy", "-"}, "PriorityWeightAge=8\n").exit_code, 0);
  const std::vector<v1::LintPolicyRequest> requests = fake_.lint_policy.requests();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_THAT(requests[0].policy_text(), HasSubstr("PriorityWeightAge=7"));
  EXPECT_EQ(requests[0].policy_file_name(), conf);
  EXPECT_FALSE(requests[0].has_jobs());
  EXPECT_EQ(requests[1].jobs().jobs_size(), 2);
  EXPECT_EQ(requests[1].policy_text(), requests[0].policy_text());
  EXPECT_EQ(requests[2].policy_text(), "PriorityWeightAge=8\n");
}

TEST_F(PrioctlTest, PolicyLintOfAnotherFileSaysWhatIsWanted) {
  EXPECT_THAT(Failure(1, {"policy", "lint", "-"}, "PriorityWeightAge=7\n"),
              AllOf(HasSubstr("want JSON Lines"),
                    HasSubstr("; a slurm.conf is looked at with --policy"), IsOneLine()));
  EXPECT_THAT(Failure(1, {"policy", "lint", "--policy", "-"}, kTwoJobs),
              AllOf(HasSubstr("looks like JSON"), HasSubstr("want a slurm.conf")));
  EXPECT_TRUE(fake_.lint_policy.requests().empty());
}

}  // namespace
}  // namespace priorityd
