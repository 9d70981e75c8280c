// Slurm's rules of preemption on a small site.
#include "engine/scheduling/preemption.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/engine/scheduling/described_site.h"

namespace priorityd::scheduling {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class PreemptionTest : public testing::Test {
 protected:
  // `fast` has the higher tier; its jobs may preempt those of `main`.
  PreemptionTest() {
    priority::Policy& policy = site_.site.source.policy;
    policy.preempt_by_partition = true;
    policy.preempt_mode = "REQUEUE";
    site_.site.partition("main").preemptible = true;
    site_.site.partition("fast").priority_tier = 10;
  }

  // By QOS `high` instead, in one partition.
  void ByQos() {
    priority::Policy& policy = site_.site.source.policy;
    policy.preempt_by_partition = false;
    policy.preempt_by_qos = true;
    site_.site.qos("high").preempt = {"normal"};
  }

  // The victims of job `w`, as ids; nullopt = it cannot start.
  std::optional<std::vector<std::string>> Victims(std::optional<absl::Duration> exempt = {}) {
    site_.Build();
    Preemption preemption(*site_.queue, *site_.cluster, exempt);
    for (const priority::RankedRow& row : site_.ranking.ranked) preemption.Try(row);
    sentence_ = preemption.Sentence("w");
    preemptible_ = preemption.preemptible();
    if (!preemption.victims().has_value()) return std::nullopt;
    std::vector<std::string> ids;
    for (const int running : preemption.victims()->running) {
      ids.emplace_back(site_.jobs[site_.ranking.running[running].job].job_id);
    }
    return ids;
  }

  DescribedSite site_;
  std::string sentence_;
  size_t preemptible_ = 0;
};

TEST_F(PreemptionTest, AJobOfAHigherTierPreemptsTheFewestThatBeganLast) {
  site_.Runs("1", 4, 50, "a");
  site_.Runs("2", 4, 40, "a");
  site_.Runs("3", 8, 30, "b");
  site_.Runs("4", 8, 20, "c");
  site_.Waits("w", 8).partitions = {"fast"};
  EXPECT_THAT(*Victims(), ElementsAre("4"));
  EXPECT_EQ(preemptible_, 4u);
  EXPECT_EQ(sentence_, "Job w can start on c if it preempts job 4, of 4 that it may.");
}

TEST_F(PreemptionTest, OfEqualNumbersTheLowestPriorityGoesFirst) {
  site_.site.source.policy.weight_qos = 1000;
  site_.Runs("1", 8, 10, "a").qos = {"high"};
  site_.Runs("2", 8, 20, "b");
  site_.Runs("3", 8, 10, "c").qos = {"high"};
  site_.Waits("w", 8).partitions = {"fast"};
  EXPECT_THAT(*Victims(), ElementsAre("2"));
}

TEST_F(PreemptionTest, AJobThatFitsPreemptsNone) {
  site_.Runs("1", 8, 50, "a");
  site_.Waits("w", 8).partitions = {"fast"};
  EXPECT_THAT(*Victims(), IsEmpty());
  EXPECT_EQ(sentence_, "Job w fits on b and needs no preemption.");
}

TEST_F(PreemptionTest, NoJobPreemptsOneOfItsOwnTierOrOfAPartitionWithPreemptModeOff) {
  for (const char* node : {"a", "b", "c"}) site_.Runs(node, 8, 50, node);
  site_.Waits("w", 8);
  EXPECT_EQ(Victims(), std::nullopt);
  site_.jobs.back().partitions = {"fast"};
  EXPECT_THAT(*Victims(), ElementsAre("c"));
  site_.site.partition("main").preemptible = false;
  EXPECT_EQ(Victims(), std::nullopt);
  EXPECT_EQ(sentence_, "Job w would not fit without all 0 jobs that it may preempt.");
}

TEST_F(PreemptionTest, AJobMayRefuseToPreempt) {
  for (const char* node : {"a", "b", "c"}) site_.Runs(node, 8, 50, node);
  site_.Waits("w", 8).partitions = {"fast"};
  site_.jobs.back().preemptor = false;
  EXPECT_EQ(Victims(), std::nullopt);
}

TEST_F(PreemptionTest, ByQosTheListOfTheQosNamesTheVictims) {
  ByQos();
  for (const char* node : {"a", "b", "c"}) site_.Runs(node, 8, 50, node).qos = {"high"};
  site_.jobs[1].qos = {"normal"};
  site_.Waits("w", 8).qos = {"high"};
  EXPECT_THAT(*Victims(), ElementsAre("b"));
  site_.site.source.policy.preempt_mode = "OFF";
  EXPECT_EQ(Victims(), std::nullopt);
}

TEST_F(PreemptionTest, WithoutPreemptTypeNoJobIsPreempted) {
  site_.site.source.policy.preempt_by_partition = false;
  for (const char* node : {"a", "b", "c"}) site_.Runs(node, 8, 50, node);
  site_.Waits("w", 8).partitions = {"fast"};
  EXPECT_EQ(Victims(), std::nullopt);
  EXPECT_EQ(sentence_,
            "Job w does not fit now, and with PreemptType=preempt/none no job is preempted.");
}

TEST_F(PreemptionTest, JobsAreExemptForATimeAfterTheirStart) {
  site_.site.source.policy.preempt_exempt_time = absl::Minutes(45);
  site_.site.qos("high").preempt_exempt_time = absl::Minutes(5);
  site_.Runs("a", 8, 50, "a");
  site_.Runs("b", 8, 40, "b");
  site_.Runs("c", 8, 4, "c").qos = {"high"};
  site_.Waits("w", 8).partitions = {"fast"};
  EXPECT_THAT(*Victims(), ElementsAre("a"));
  EXPECT_EQ(preemptible_, 1u);
  site_.jobs[2].start_time = priority::kNow - absl::Minutes(5);
  EXPECT_THAT(*Victims(), ElementsAre("c")) << "the time of its QOS has passed";
  EXPECT_EQ(Victims(absl::Hours(1)), std::nullopt) << "the request replaces both";
  site_.jobs[2].start_time = priority::kNow - absl::Minutes(1);
  site_.site.source.policy.preempt_mode = "SUSPEND,GANG";
  EXPECT_THAT(*Victims(), ElementsAre("c")) << "a suspended job loses nothing";
}

TEST_F(PreemptionTest, TheFirstModeThatActsOnVictimsCounts) {
  priority::Policy policy;
  for (const auto& [given, want] : {std::pair("REQUEUE", "REQUEUE"),
                                    {"CANCEL", "CANCEL"},
                                    {"GANG,SUSPEND", "SUSPEND"},
                                    {"OFF", "REQUEUE"}}) {
    policy.preempt_mode = given;
    EXPECT_EQ(PreemptModeOf(policy, priority::Job()), want);
  }
}

}  // namespace
}  // namespace priorityd::scheduling
