#include "engine/explanation/reason_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/explanation/explanation.h"
#include "tests/engine/priority/ranking_fixture.h"

namespace priorityd::explanation {
namespace {

using priority::Job;
using priority::SmallSite;
using testing::ElementsAre;

constexpr double kMinute = 60;

class ReasonTextTest : public priority::RankingTest {
 protected:
  ReasonTextTest() { site_.source.policy.enforce.safe = true; }

  // Slurm's word and the sentence, `reason: text`, of each ineligible job.
  std::vector<std::string> Texts() {
    RankJobs();
    std::vector<std::string> texts;
    for (const priority::IneligibleRow& row : ranking_.ineligible) {
      texts.push_back(absl::StrCat(priority::ReasonName(snapshot_->limits(), row.why), ": ",
                                   ReasonText(*snapshot_, jobs_[row.job], row, row.why)));
    }
    return texts;
  }
};

// What is wrong with the site or the job, and what is said of it.
struct Case {
  void (*change)(SmallSite&, Job&);
  const char* text;
};

class EveryReason : public ReasonTextTest, public testing::WithParamInterface<Case> {};

TEST_P(EveryReason, HasASentenceWithTheFigures) {
  GetParam().change(site_, Add("1"));
  EXPECT_THAT(Texts(), ElementsAre(GetParam().text));
}

const Case kUnresolved[] = {
    {[](SmallSite&, Job& job) { job.user = ""; }, "InvalidAccount: the job names no user"},
    {[](SmallSite&, Job& job) { job.account = "no"; }, "InvalidAccount: account no does not exist"},
    {[](SmallSite&, Job& job) { job.user = "cat"; },
     "InvalidAccount: user cat has no association in account physics"},
    {[](SmallSite&, Job& job) { job.user = "zoe", job.account = ""; },
     "InvalidAccount: the job names no account and user zoe has no default account"},
    {[](SmallSite&, Job& job) { job.qos = {"gone"}; }, "InvalidQOS: QOS gone does not exist"},
    {[](SmallSite& site, Job& job) {
       site.association("physics").qos = {{"normal"}};
       job.qos = {"high"};
     },
     "InvalidQOS: QOS high is not among those of physics/ann: normal"},
    {[](SmallSite&, Job& job) { job.partitions = {"nowhere"}; },
     "InvalidPartition: partition nowhere does not exist"},
    {[](SmallSite&, Job& job) { job.violation = "cpus: got -1, want at least 0"; },
     "InvalidJob: cpus: got -1, want at least 0"},
};
INSTANTIATE_TEST_SUITE_P(OfAJobThatDoesNotResolve, EveryReason, testing::ValuesIn(kUnresolved));

const Case kWaiting[] = {
    {[](SmallSite&, Job& job) { job.hold = priority::Hold::kUser; },
     "JobHeldUser: held by its user"},
    {[](SmallSite&, Job& job) { job.hold = priority::Hold::kAdmin; },
     "JobHeldAdmin: held by an administrator"},
    {[](SmallSite&, Job& job) { job.admin_priority = 0; },
     "JobHeldAdmin: held by an administrator: priority set to 0"},
    {[](SmallSite&, Job& job) { job.dependency_unmet = true; },
     "Dependency: waits for a job it depends on"},
    {[](SmallSite&, Job& job) { job.eligible_time = priority::kNow + absl::Seconds(1); },
     "BeginTime: cannot begin before 2027-01-15T08:00:01+00:00"},
};
INSTANTIATE_TEST_SUITE_P(OfAJobThatWaits, EveryReason, testing::ValuesIn(kWaiting));

const Case kPartition[] = {
    {[](SmallSite& site, Job&) { site.partition("main").up = false; },
     "PartitionDown: partition main is not up"},
    {[](SmallSite& site, Job&) { site.partition("main").up = site.partition("main").open = false; },
     "PartitionInactive: partition main is INACTIVE"},
    {[](SmallSite& site, Job& job) {
       site.partition("main").tres["cpu"] = 128;
       job.cpus = 129;
     },
     "PartitionConfig: 129 CPUs exceed the 128 of partition main"},
    {[](SmallSite& site, Job& job) {
       site.partition("main").max_mem_per_node = 1000;
       job.nodes = 2;
       job.tres.emplace_back("mem", 2001);
     },
     "MaxMemPerLimit: 2001 MB of memory on 2 nodes exceed MaxMemPerNode 1000 of partition main"},
    {[](SmallSite& site, Job& job) {
       site.partition("main").max_mem_per_node = 1547001;
       job.tres.emplace_back("mem", 2063753);
     },
     "MaxMemPerLimit: 2063753 MB of memory on 1 nodes exceed MaxMemPerNode 1547001 of partition "
     "main"},
    {[](SmallSite& site, Job& job) {
       site.partition("main").max_mem_per_node = 1000;
       site.source.policy.job_defaults.memory.per_cpu = 1001;
       job.cpus = 4;
       job.nodes = 2;
     },
     "MaxMemPerLimit: 4004 MB of memory on 2 nodes exceed MaxMemPerNode 1000 of partition main"},
    {[](SmallSite&, Job& job) { job.nodes = 9; },
     "PartitionNodeLimit: 9 nodes exceed the 8 of partition main"},
    {[](SmallSite& site, Job& job) {
       site.partition("fast").max_nodes = 2;
       job.partitions = {"fast"};
       job.nodes = 3;
     },
     "PartitionNodeLimit: 3 nodes exceed MaxNodes 2 of partition fast"},
    {[](SmallSite& site, Job& job) {
       site.partition("main").max_time = absl::Hours(2);
       job.time_limit = absl::Hours(48);
     },
     "PartitionTimeLimit: time limit 2-00:00:00 exceeds MaxTime 02:00:00 of partition main"},
    {[](SmallSite& site, Job& job) {
       site.partition("main").max_time = absl::Hours(2);
       job.time_limit = absl::InfiniteDuration();
     },
     "PartitionTimeLimit: time limit UNLIMITED exceeds MaxTime 02:00:00 of partition main"},
    {[](SmallSite& site, Job&) { site.partition("main").allow_accounts = {"chemistry"}; },
     "AccountNotAllowed: Job's account not permitted to use this partition (main allows chemistry "
     "not physics)"},
    {[](SmallSite& site, Job&) { site.partition("main").deny_accounts = {"root"}; },
     "AccountNotAllowed: Job's account not permitted to use this partition (main denies root "
     "including physics)"},
    {[](SmallSite& site, Job& job) {
       site.partition("main").allow_qos = {"high"};
       job.qos = {"normal"};
     },
     "QOSNotAllowed: Job's QOS not permitted to use this partition (main allows high not normal)"},
    {[](SmallSite& site, Job&) {
       site.partition("main").allow_qos = {"high"};
       site.qos("normal").name = "idle";
     },
     "QOSNotAllowed: Job's QOS not permitted to use this partition (main allows high not none)"},
    {[](SmallSite& site, Job& job) {
       site.partition("main").deny_qos = {"high"};
       job.qos = {"high"};
     },
     "QOSNotAllowed: Job's QOS not permitted to use this partition (main denies high including "
     "high)"},
    {[](SmallSite& site, Job& job) {
       site.usage = {{"physics/ann", 100}};
       site.qos("high").usage_threshold = 0.5;
       site.qos("high").enforce_usage_threshold = true;
       job.qos = {"high"};
     },
     "QOSUsageThreshold: fair-share 0.333333 of physics/ann is below UsageThreshold 0.5 of QOS "
     "high"},
};
INSTANTIATE_TEST_SUITE_P(OfAPartitionOrQos, EveryReason, testing::ValuesIn(kPartition));

const Case kLimits[] = {
    {[](SmallSite& site, Job& job) {
       site.association("physics").limits.grp_tres_mins = {{"billing", 100}};
       site.usage = {{"physics/ann", 50 * kMinute}, {"physics/bob", 30 * kMinute}};
       job.cpus = 5;
       job.time_limit = absl::Minutes(5);
     },
     "AssocGrpBillingMinutes: account physics: GrpTRESMins billing=100: 80 used + 25 for this job "
     "= 105"},
    {[](SmallSite& site, Job& job) {
       site.association("root").limits.grp_tres_mins = {{"cpu", 100}};
       site.source.own_tres_usage["cpu"] = {0, 0, 0, 0, 0, 90 * kMinute};
       job.cpus = 1;
       job.time_limit = absl::Minutes(11);
     },
     "AssocGrpCPUMinutesLimit: account root: GrpTRESMins cpu=100: 90 used + 11 for this job = 101"},
    {[](SmallSite& site, Job& job) {
       site.association("physics", "ann").limits.grp_wall = absl::Minutes(60);
       site.source.own_wall_seconds.assign(6, 0);
       site.source.own_wall_seconds[site.Build()->tree().FindUser("physics", "ann", "")] =
           45 * kMinute;
       job.cpus = 1;
       job.time_limit = absl::Minutes(16);
     },
     "AssocGrpWallLimit: user ann in account physics: GrpWall minutes=60: 45 used + 16 for this "
     "job = 61"},
    {[](SmallSite& site, Job& job) {
       site.qos("high").grp_tres_mins = {{"cpu", 100}};
       site.source.qos_usage = {{}, {0, {{"cpu", 99 * kMinute}}, 0}};
       job.qos = {"high"};
       job.cpus = 2;
       job.time_limit = absl::Minutes(1);
     },
     "QOSGrpCPUMinutesLimit: QOS high: GrpTRESMins cpu=100: 99 used + 2 for this job = 101"},
    {[](SmallSite& site, Job& job) {
       site.qos("normal").grp_wall = absl::Minutes(5);
       site.source.qos_usage = {{0, {}, 3 * kMinute}, {}};
       job.qos = {"normal"};
       job.time_limit = absl::Minutes(3);
     },
     "QOSGrpWallLimit: QOS normal: GrpWall minutes=5: 3 used + 3 for this job = 6"},
    {[](SmallSite& site, Job& job) {
       site.association("physics").limits.grp_tres_mins = {{"cpu", 1e12}};
       job.cpus = 1;
       job.time_limit = absl::InfiniteDuration();
     },
     "AssocGrpCPUMinutesLimit: account physics: GrpTRESMins cpu=1000000000000: 0 used + UNLIMITED "
     "for this job = UNLIMITED"},
};
INSTANTIATE_TEST_SUITE_P(OfALimitOnUsage, EveryReason, testing::ValuesIn(kLimits));

TEST_F(ReasonTextTest, TheSecondOfTwoEqualIdsIsSaidToBeGivenTwice) {
  Add("6");
  Add("6");
  EXPECT_THAT(Texts(), ElementsAre("InvalidJob: job_id 6 is given more than once"));
}

TEST_F(ReasonTextTest, WhatRunningJobsMayStillUseIsSaidWhereItCounts) {
  site_.association("physics").limits.grp_tres_mins = {{"cpu", 100}};
  Job& running = Add("0");
  running.cpus = 2;
  running.time_limit = absl::Minutes(40);
  running.state = priority::JobState::kRunning;
  running.start_time = priority::kNow - absl::Minutes(10);
  Job& waiting = Add("1");
  waiting.cpus = 1;
  waiting.time_limit = absl::Minutes(21);
  EXPECT_THAT(Texts(),
              ElementsAre("AssocGrpCPUMinutesLimit: account physics: GrpTRESMins cpu=100: 0 used + "
                          "80 for running jobs + 21 for this job = 101"));
}

TEST_F(ReasonTextTest, AnExplanationReportsTheArithmetic) {
  site_.association("physics").limits.grp_tres_mins = {{"cpu", 1}};
  Job& job = Add("1");
  job.cpus = 1;
  job.time_limit = absl::Minutes(2);
  const auto snapshot = site_.Build();
  ExplainOptions options;
  options.as_of = priority::kNow;
  const Explanation explanation = Explain(*snapshot, jobs_, options).value();
  EXPECT_EQ(explanation.ineligible_reason, "AssocGrpCPUMinutesLimit");
  EXPECT_EQ(explanation.ineligible_message,
            "account physics: GrpTRESMins cpu=1: 0 used + 2 for this job = 2");
}

}  // namespace
}  // namespace priorityd::explanation
