// Batch scripts as jobs; the numbers are those of the guides, or multiplied by hand.
#include "client/prioctl/script/batch_script.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::script {
namespace {

using ::priority::v1::Job;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

absl::Time Now() { return absl::FromUnixSeconds(1'795'363'200); }

BatchScript ScriptOf(const std::string& options) {
  const auto script =
      ReadBatchScript("job.sh", "#!/bin/bash\n" + options, Now(), absl::UTCTimeZone());
  EXPECT_TRUE(script.ok()) << script.status();
  return script.ok() ? *script : BatchScript();
}
Job JobOf(const std::string& options) { return ScriptOf("#SBATCH " + options + "\n").job; }

std::string ErrorOf(const std::string& options) {
  const auto script = ReadBatchScript("job.sh", "#!/bin/bash\n#SBATCH " + options + "\n", Now(),
                                      absl::UTCTimeZone());
  return std::string(script.status().message());
}

// The batch script of the guide of the University of Michigan.
TEST(BatchScriptTest, TheGuidesScriptIsItsJob) {
  const BatchScript script = ScriptOf(
      "#SBATCH --job-name=example_job\n"
      "#SBATCH --mail-type=BEGIN,END\n"
      "#SBATCH --cpus-per-task=1\n"
      "#SBATCH --nodes=1\n"
      "#SBATCH --ntasks-per-node=12\n"
      "#SBATCH --mem-per-cpu=1000m \n"
      "#SBATCH --gres=gpu:1\n"
      "#SBATCH -L matlab@slurmdb:5\n"
      "#SBATCH --time=10:00\n"
      "#SBATCH -A example_account\n"
      "#SBATCH -p standard\n"
      "#SBATCH --output=/home/%u/%x-%j.log\n"
      "\n"
      "srun hostname\n");
  EXPECT_EQ(script.job.name(), "example_job");
  EXPECT_EQ(script.job.account(), "example_account");
  EXPECT_THAT(script.job.partitions(), ElementsAre("standard"));
  EXPECT_EQ(script.job.nodes(), 1u);
  EXPECT_EQ(script.job.cpus(), 12);
  EXPECT_EQ(script.job.time_limit().seconds(), 600);
  EXPECT_THAT(script.job.tres(), UnorderedElementsAre(Pair("mem", 12000), Pair("gres/gpu", 1),
                                                      Pair("license/matlab@slurmdb", 5)));
  EXPECT_THAT(script.warnings, ElementsAre("job.sh line 3: --mail-type: no effect on priority",
                                           "job.sh line 13: --output: no effect on priority"));
}

TEST(BatchScriptTest, WithoutOptionsItIsOneCpuOfOneNode) {
  const Job job = ScriptOf("hostname\n").job;
  EXPECT_EQ(job.cpus(), 1);
  EXPECT_EQ(job.nodes(), 1u);
  EXPECT_THAT(job.tres(), IsEmpty());
  EXPECT_FALSE(job.has_time_limit());
}

TEST(BatchScriptTest, TasksNodesAndCpusMultiply) {
  EXPECT_EQ(JobOf("-n 4 -c 8").cpus(), 32);
  EXPECT_EQ(JobOf("-N 3").cpus(), 3) << "a task on each node";
  EXPECT_EQ(JobOf("-N 2 --ntasks-per-node=4 -c 2").cpus(), 16);
  const Job spread = JobOf("-n 10 --ntasks-per-node=4");
  EXPECT_EQ(spread.nodes(), 3u);
  EXPECT_EQ(spread.cpus(), 10);
  EXPECT_EQ(JobOf("-G 4 --cpus-per-gpu=6").cpus(), 24);
  const BatchScript range = ScriptOf("#SBATCH -N 2-4\n");
  EXPECT_EQ(range.job.nodes(), 2u);
  EXPECT_THAT(range.warnings, ElementsAre("job.sh line 2: --nodes: the least number counts"));
}

TEST(BatchScriptTest, MemoryAndGpusAreThoseOfTheWholeJob) {
  EXPECT_EQ(JobOf("-N 2 --mem=4G").tres().at("mem"), 8192);
  EXPECT_EQ(JobOf("-n 4 --mem-per-cpu=512").tres().at("mem"), 2048);
  EXPECT_EQ(JobOf("-G 2 --mem-per-gpu=1G").tres().at("mem"), 2048);
  EXPECT_EQ(JobOf("--mem=500K").tres().at("mem"), 1) << "in whole MB";
  EXPECT_THAT(JobOf("-N 2 --gpus-per-node=a100:2").tres(),
              UnorderedElementsAre(Pair("gres/gpu", 4), Pair("gres/gpu:a100", 4)));
  EXPECT_EQ(JobOf("-n 3 --gpus-per-task=2").tres().at("gres/gpu"), 6);
  EXPECT_EQ(JobOf("-N 2 --gres=gpu:1,fpga:2").tres().at("gres/fpga"), 4);
  EXPECT_THAT(JobOf("--gres=none").tres(), IsEmpty());
}

TEST(BatchScriptTest, OtherOptionsSetTheirFields) {
  const Job job = JobOf("-q high,low --nice -d afterany:7 -a 0-15%4 -H --reservation=night -t 1-0");
  EXPECT_THAT(job.qos(), ElementsAre("high", "low"));
  EXPECT_EQ(job.nice(), 100);
  EXPECT_EQ(job.array_task_ids(), "0-15%4");
  EXPECT_EQ(job.hold(), ::priority::v1::HOLD_USER);
  EXPECT_EQ(job.reservation(), "night");
  EXPECT_EQ(job.time_limit().seconds(), 86400);
  EXPECT_EQ(JobOf("--begin=now+1hour").eligible_time().seconds(),
            absl::ToUnixSeconds(Now()) + 3600);
  EXPECT_FALSE(JobOf("-t 0").has_time_limit()) << "as long as the partition permits";
}

TEST(BatchScriptTest, ValuesThatSbatchRefusesAreErrorsWithTheirLine) {
  EXPECT_EQ(ErrorOf("-N nonsense"),
            "job.sh line 2: --nodes: got \"nonsense\", want a number or a range such as 2-4");
  EXPECT_EQ(ErrorOf("-N 4-2"),
            "job.sh line 2: --nodes: got \"4-2\", want a number or a range such as 2-4");
  EXPECT_EQ(ErrorOf("-n 0"),
            "job.sh line 2: --ntasks: got \"0\", want a number from 1 to 1000000000");
  EXPECT_EQ(ErrorOf("-t nonsense"),
            "job.sh line 2: --time: got \"nonsense\", want a time such as 30, 2:00:00 or 1-0");
  EXPECT_EQ(ErrorOf("--mem=lots"),
            "job.sh line 2: --mem: got \"lots\", want an amount such as 500, 500M or 4G");
  EXPECT_THAT(ErrorOf("-a 5-1"), ::testing::StartsWith("job.sh line 2: --array: got \"5-1\""));
  EXPECT_THAT(ErrorOf("--begin=later"), ::testing::StartsWith("job.sh line 2: --begin: got"));
  EXPECT_THAT(ErrorOf("--nice=x"), ::testing::StartsWith("job.sh line 2: --nice: got \"x\""));
}

}  // namespace
}  // namespace priorityd::script
