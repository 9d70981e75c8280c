// Slurm's rules of preemption on a small site.
#include "engine/scheduling/preemption.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/engine/scheduling/described_site.h"

namespace priorityd::scheduling {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

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
    Preemption preemption(*site_.queue, *site_.cluster,
                          {.exempt = exempt, .whole_nodes = whole_nodes_});
    for (const priority::RankedRow& row : site_.ranking.ranked) preemption.Try(row);
    sentence_ = preemption.Sentence("w");
    preemptible_ = preemption.preemptible();
    actions_.clear();
    for (size_t i = 0; i < site_.ranking.running.size(); ++i) {
      const int running = static_cast<int>(i);
      actions_[std::string(site_.jobs[site_.ranking.running[i].job].job_id)] =
          absl::StrCat(preemption.ModeOf(running), " after ",
                       absl::FormatDuration(preemption.GraceTimeOf(running)));
    }
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
  bool whole_nodes_ = false;
  std::map<std::string, std::string> actions_;  // `REQUEUE after 1m`, by running job.
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
  site_.Runs("1", 1, 50, "a");
  site_.Waits("w", 8);
  for (const auto& [given, want] : {std::pair("REQUEUE", "REQUEUE after 0"),
                                    {"CANCEL", "CANCEL after 0"},
                                    {"GANG,SUSPEND", "SUSPEND after 0"},
                                    {"PRIORITY,REQUEUE", "REQUEUE after 0"}}) {
    site_.site.source.policy.preempt_mode = given;
    Victims();
    EXPECT_EQ(actions_["1"], want);
  }
}

// "If an interactive or Open On Demand job gets preempted, it will be canceled since interactive
// jobs cannot be restarted. If a batch job gets preempted, it will be requeued."
TEST_F(PreemptionTest, InteractiveJobsAreCancelledAndOthersRequeued) {
  site_.Runs("batch", 1, 50, "a");
  site_.Runs("stubborn", 1, 50, "a").requeue = false;
  priority::Job& shell = site_.Runs("shell", 1, 50, "a");
  shell.interactive = true;
  shell.requeue = true;
  site_.Waits("w", 8);
  Victims();
  EXPECT_THAT(actions_,
              ElementsAre(Pair("batch", "REQUEUE after 0"), Pair("shell", "CANCEL after 0"),
                          Pair("stubborn", "CANCEL after 0")));
  site_.site.source.policy.preempt_mode = "SUSPEND,GANG";
  Victims();
  EXPECT_EQ(actions_["shell"], "SUSPEND after 0");
}

TEST_F(PreemptionTest, ThePartitionHasItsOwnModeAndGraceTimeByPartition) {
  priority::PartitionRules& rules = site_.site.source.policy.partition_rules["main"];
  rules.preempt_mode = "CANCEL";
  rules.grace_time = absl::Minutes(2);
  site_.site.qos("normal").preempt_mode = "SUSPEND";
  site_.site.qos("normal").grace_time = absl::Hours(1);
  site_.Runs("1", 1, 50, "a");
  site_.Runs("2", 1, 50, "a").partitions = {"fast"};
  site_.Waits("w", 8);
  Victims();
  EXPECT_THAT(actions_, ElementsAre(Pair("1", "CANCEL after 2m"), Pair("2", "REQUEUE after 0")));
}

TEST_F(PreemptionTest, TheQosHasItsOwnModeAndGraceTimeByQos) {
  ByQos();
  site_.site.source.policy.partition_rules["main"] = {.preempt_mode = "SUSPEND",
                                                      .grace_time = absl::Hours(1)};
  site_.site.qos("normal").preempt_mode = "CANCEL";
  site_.site.qos("normal").grace_time = absl::Seconds(30);
  site_.Runs("1", 1, 50, "a");
  site_.Runs("2", 1, 50, "a").qos = {"high"};
  site_.Waits("w", 8);
  Victims();
  EXPECT_THAT(actions_, ElementsAre(Pair("1", "CANCEL after 30s"), Pair("2", "REQUEUE after 0")));
}

// "the backfill scheduler will preempt an entire node whether the owner job needs all of those
// resources or not": node a has two jobs that may be preempted, and one of the owners'.
TEST_F(PreemptionTest, BackfillTakesWholeNodes) {
  site_.Runs("1", 3, 50, "a");
  site_.Runs("2", 3, 10, "a");
  site_.Runs("own", 2, 10, "a").partitions = {"fast"};
  site_.Runs("3", 8, 90, "b").partitions = {"fast"};
  site_.Runs("4", 8, 90, "c").partitions = {"fast"};
  site_.Waits("w", 2).partitions = {"fast"};
  EXPECT_THAT(*Victims(), ElementsAre("2"));
  whole_nodes_ = true;
  EXPECT_THAT(*Victims(), ElementsAre("2", "1"));
  site_.jobs[3].cpus = 5;
  EXPECT_THAT(*Victims(), IsEmpty()) << "it fits on b";
}

TEST_F(PreemptionTest, WholeNodesAreThoseOfThePartitionThatNeedsTheFewestVictims) {
  ByQos();
  site_.description.node_types = {
      {.name = "f", .nodes = {"a"}, .partitions = {"fast"}, .tres = {{"cpu", 8}}},
      {.name = "m", .nodes = {"b"}, .partitions = {"main"}, .tres = {{"cpu", 8}}}};
  site_.Runs("1", 4, 50, "a");
  site_.Runs("2", 2, 40, "a");
  site_.Runs("3", 2, 30, "a");
  site_.Runs("4", 3, 50, "b");
  site_.Runs("5", 3, 40, "b");
  site_.Runs("6", 2, 30, "b").qos = {"high"};
  priority::Job& waits = site_.Waits("w", 4);
  waits.partitions = {"fast", "main"};
  waits.qos = {"high"};
  EXPECT_THAT(*Victims(), ElementsAre("1")) << "in main two";
  whole_nodes_ = true;
  EXPECT_THAT(*Victims(), ElementsAre("3", "2", "1"));
}

// slurmctld exempts jobs above the number; at weight 1000, QOS priority 50 of 100 is 500.
TEST_F(PreemptionTest, JobsAboveMinExemptPriorityAreNotPreempted) {
  site_.site.source.policy.weight_qos = 1000;
  site_.site.qos("high").priority = 100;
  site_.site.qos("normal").priority = 50;
  for (const char* node : {"a", "b", "c"}) site_.Runs(node, 8, 50, node);
  site_.jobs[2].qos = {"high"};
  site_.Waits("w", 8).partitions = {"fast"};
  Victims();
  EXPECT_EQ(preemptible_, 3u);
  site_.site.source.policy.min_exempt_priority = 999;
  Victims();
  EXPECT_EQ(preemptible_, 2u) << "QOS high: 1000";
  site_.site.source.policy.min_exempt_priority = 500;
  Victims();
  EXPECT_EQ(preemptible_, 2u) << "QOS normal: 500";
  site_.site.source.policy.min_exempt_priority = 499;
  EXPECT_EQ(Victims(), std::nullopt);
}

// slurm.conf(5): "sort by the job start times to favor preempting younger jobs over older".
TEST_F(PreemptionTest, YoungestFirstGoesBeforeThePriority) {
  site_.site.source.policy.weight_qos = 1000;
  site_.Runs("1", 8, 10, "a").qos = {"high"};
  site_.Runs("2", 8, 20, "b");
  site_.Runs("3", 8, 30, "c");
  site_.Waits("w", 8).partitions = {"fast"};
  EXPECT_THAT(*Victims(), ElementsAre("2"));
  site_.site.source.policy.youngest_first = true;
  EXPECT_THAT(*Victims(), ElementsAre("1"));
}

// slurm.conf(5): "Otherwise jobs requesting busy licenses will have to wait even if they have
// preemption priority."
TEST_F(PreemptionTest, JobsArePreemptedForLicensesOnlyWithReclaimLicenses) {
  site_.description.licenses["license/matlab"] = 2;
  site_.Runs("1", 1, 50, "a").tres = {{"license/matlab", 2}};
  site_.Runs("2", 8, 50, "b");
  site_.Runs("3", 8, 50, "c");
  site_.Waits("w", 1).partitions = {"fast"};
  site_.jobs.back().tres = {{"license/matlab", 1}};
  EXPECT_EQ(Victims(), std::nullopt);
  EXPECT_EQ(sentence_,
            "Job w needs licenses that are in use, and without "
            "PreemptParameters=reclaim_licenses no job is preempted for them.");
  site_.site.source.policy.reclaim_licenses = true;
  EXPECT_THAT(*Victims(), ElementsAre("1"));
  site_.site.source.policy.reclaim_licenses = false;
  site_.jobs[0].tres = {{"license/matlab", 1}};
  EXPECT_THAT(*Victims(), IsEmpty());
}

// preempt_qos.c of Slurm: PRIORITY and WITHIN want a higher priority.
TEST_F(PreemptionTest, ByQosTheModesPriorityAndWithinCompareThePriorities) {
  ByQos();
  priority::Policy& policy = site_.site.source.policy;
  policy.weight_qos = 1000;
  site_.site.qos("high").priority = 100;
  site_.site.qos("normal").priority = 50;
  for (const char* node : {"a", "b", "c"}) site_.Runs(node, 8, 50, node);
  site_.Waits("w", 8).qos = {"high"};
  policy.preempt_mode = "REQUEUE,PRIORITY";
  EXPECT_TRUE(Victims().has_value());
  site_.jobs.back().nice = 500;
  EXPECT_EQ(Victims(), std::nullopt) << "500 is not above 500";
  policy.preempt_mode = "REQUEUE";
  EXPECT_TRUE(Victims().has_value());
  site_.jobs.back().qos = {"normal"};
  site_.jobs.back().nice = -1;
  EXPECT_EQ(Victims(), std::nullopt) << "a job of its own QOS";
  site_.site.qos("normal").preempt_mode = "REQUEUE,WITHIN";
  EXPECT_TRUE(Victims().has_value());
  site_.jobs.back().nice = 0;
  EXPECT_EQ(Victims(), std::nullopt) << "of equal priority";
}

// preempt_partition_prio.c of Slurm: PRIORITY wants no lower priority.
TEST_F(PreemptionTest, ByPartitionTheModePriorityWantsNoLowerPriority) {
  priority::Policy& policy = site_.site.source.policy;
  policy.weight_qos = 1000;
  site_.site.qos("normal").priority = 50;
  policy.partition_rules["fast"].preempt_mode = "REQUEUE,PRIORITY";
  for (const char* node : {"a", "b", "c"}) site_.Runs(node, 8, 50, node);
  site_.Waits("w", 8).partitions = {"fast"};
  EXPECT_TRUE(Victims().has_value());
  site_.jobs.back().nice = 1;
  EXPECT_EQ(Victims(), std::nullopt);
}

}  // namespace
}  // namespace priorityd::scheduling
