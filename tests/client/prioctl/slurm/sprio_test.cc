#include "client/prioctl/slurm/sprio.h"

#include <fstream>
#include <sstream>
#include <string>

#include "client/prioctl/slurm/sprio_rows.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/read_captured.h"

namespace priorityd::prioctl {
namespace {

using ::priority::v1::PolicyParameters;

std::string Print(const PolicyParameters& parameters, bool header = true) {
  std::ostringstream out;
  PrintWeights(parameters, header, out);
  return out.str();
}

PolicyParameters AllWeights() {
  PolicyParameters parameters;
  parameters.set_weight_age(1000);
  parameters.set_weight_assoc(2000);
  parameters.set_weight_fair_share(10000);
  parameters.set_weight_job_size(3000);
  parameters.set_weight_partition(4000);
  parameters.set_weight_qos(5000);
  (*parameters.mutable_weight_tres())["cpu"] = 1000;
  parameters.set_weight_tres_text("CPU=1000,Mem=2000,Node=300,GRES/gpu=500,Billing=700");
  return parameters;
}

TEST(SprioTest, WeightsAreSlurmsByteForByte) {
  EXPECT_EQ(Print(AllWeights()), ReadCaptured("base.sprio_w"));
}

TEST(SprioTest, SmallWeightsAreRightAligned) {
  PolicyParameters parameters = AllWeights();
  parameters.set_weight_assoc(2);
  parameters.set_weight_partition(4);
  parameters.set_weight_qos(5);
  parameters.set_weight_tres_text("CPU=10,Mem=2,Node=30,GRES/gpu=500,Billing=7");
  EXPECT_EQ(Print(parameters), ReadCaptured("no_normal_all.sprio_w"));
}

TEST(SprioTest, FactorsWithoutWeightHaveNoColumn) {
  EXPECT_EQ(Print(PolicyParameters()), ReadCaptured("weights_zero.sprio_w"));
}

TEST(SprioTest, NoHeaderLeavesOneLine) {
  const std::string captured = ReadCaptured("base.sprio_w");
  EXPECT_EQ(Print(AllWeights(), false), captured.substr(captured.find('\n') + 1));
}

::priority::v1::RankJobsResponse TwoJobs() {
  ::priority::v1::RankJobsResponse answer;
  for (const int id : {10, 9}) {
    auto* job = answer.add_ranked();
    job->set_job_id(std::to_string(id));
    job->set_partition("a_long_name");
    job->set_user("ann");
    job->set_priority(id == 9 ? 100 : 200);
    job->mutable_contributions()->set_age(2.5);
    job->mutable_factors()->set_age(0.25);
    (*job->mutable_contributions()->mutable_tres())["mem"] = 3;
    (*job->mutable_contributions()->mutable_tres())["cpu"] = 0.7;
    (*job->mutable_contributions()->mutable_tres())["node"] = 0;
  }
  auto* held = answer.add_ineligible();
  held->set_job_id("1");
  held->set_priority(0);
  auto* waits = answer.add_ineligible();
  waits->set_job_id("2");
  waits->set_priority(7);
  waits->set_reason("Dependency");
  auto* never = answer.add_ineligible();
  never->set_job_id("4");
  never->set_priority(7);
  never->set_reason("DependencyNeverSatisfied");
  auto* runs = answer.add_running();
  runs->set_job_id("5");
  runs->set_priority(7);
  auto* limited = answer.add_ineligible();
  limited->set_job_id("3");
  limited->set_priority(7);
  limited->set_reason("PartitionNodeLimit");
  return answer;
}

std::string List(const SprioOptions& options, const PolicyParameters& parameters = {}) {
  std::ostringstream out;
  EXPECT_TRUE(PrintPriorities(TwoJobs(), parameters, options, out).ok());
  return out.str();
}

TEST(SprioTest, JobsAreOrderedByNumberAndHeldOrWaitingOnesLeftOut) {
  SprioOptions options;
  options.format = "%i";
  EXPECT_EQ(List(options), "JOBID\n3\n9\n10\n");
  PolicyParameters always;
  always.add_flags("ACCRUE_ALWAYS");
  EXPECT_EQ(List(options, always), "JOBID\n2\n3\n4\n9\n10\n");
}

// slurmctld 25.11 leaves out jobs that are not pending unless the flag is set.
TEST(SprioTest, RunningJobsAreListedUnderCalculateRunning) {
  SprioOptions options;
  options.format = "%i";
  PolicyParameters running;
  EXPECT_FALSE(ListsRunningJobs(running));
  running.add_flags("CALCULATE_RUNNING");
  EXPECT_TRUE(ListsRunningJobs(running));
  EXPECT_EQ(List(options, running), "JOBID\n3\n5\n9\n10\n");
}

TEST(SprioTest, FormatsCutAndAlign) {
  SprioOptions options;
  options.format = "%.4i|%5r|%3u|%.6A|%T";
  options.jobs = {"9"};
  options.header = false;
  EXPECT_EQ(List(options), "   9|a_lon|ann|     2|cpu=1,mem=3\n");
}

TEST(SprioTest, SortTakesTheFirstDifference) {
  SprioOptions options;
  options.format = "%i";
  options.header = false;
  options.sort = "-Y";
  EXPECT_EQ(List(options), "10\n9\n3\n");
  options.sort = "u,+Y";
  EXPECT_EQ(List(options), "3\n9\n10\n");
}

TEST(SprioTest, ColumnsAreThoseOfTheWeights) {
  SprioOptions options;
  options.jobs = {"9"};
  options.normalized = true;
  EXPECT_EQ(List(options, AllWeights()),
            "          JOBID PARTITION PRIORITY   AGE        ASSOC      FAIRSHARE  JOBSIZE    "
            "PARTITION  QOS        TRES                \n"
            "              9 a_long_na 0.00000002 0.2500000  0.0000000  0.0000000  0.0000000  "
            "0.0000000  0.0000000                      \n");
}

}  // namespace
}  // namespace priorityd::prioctl
