#include "engine/priority/ranking/limit_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "tests/engine/priority/ranking_fixture.h"

namespace priorityd::priority {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr double kMinute = 60;

class LimitsTest : public RankingTest {
 protected:
  // Whole jobs count, but where a test says otherwise.
  LimitsTest() { site_.source.policy.enforce.safe = true; }

  AssociationLimits& LimitsOf(absl::string_view account, absl::string_view user = "") {
    return site_.association(account, user).limits;
  }

  // A job of ann that wants `cpus` for `minutes`.
  Job& AddWanting(absl::string_view job_id, double cpus, int minutes) {
    Job& job = Add(job_id);
    job.cpus = cpus;
    job.time_limit = absl::Minutes(minutes);
    return job;
  }

  Job& AddRunning(absl::string_view job_id, double cpus, int minutes) {
    Job& job = AddWanting(job_id, cpus, minutes);
    job.state = JobState::kRunning;
    job.start_time = kNow - absl::Minutes(10);
    return job;
  }
};

// UMich's guide: hpcstaff may use 100 billing minutes; Emily has used 50 and Scott
// 30 when Dan asks for 25.
TEST_F(LimitsTest, HpcstaffsBudgetOf100BillingMinutesHasNoRoomForDan) {
  LimitsOf("physics").grp_tres_mins = {{"billing", 100}};
  site_.usage = {{"physics/ann", 50 * kMinute}, {"physics/bob", 30 * kMinute}};
  AddWanting("dan", 5, 5);
  AddWanting("fits", 5, 4);
  EXPECT_THAT(Ineligible(), ElementsAre("dan: AssocGrpBillingMinutes: 80 + 0 + 25 > 100"));
  EXPECT_THAT(JobIds(ranking_, jobs_), ElementsAre("fits"));
}

TEST_F(LimitsTest, EveryAccountAboveLimitsTheJob) {
  LimitsOf("root").grp_tres_mins = {{"cpu", 100}};
  site_.source.own_tres_usage["cpu"] = {0, 0, 0, 0, 0, 90 * kMinute};
  AddWanting("1", 1, 10);
  AddWanting("2", 1, 11);
  EXPECT_THAT(Ineligible(), ElementsAre("2: AssocGrpCPUMinutesLimit: 90 + 0 + 11 > 100"));
}

TEST_F(LimitsTest, EachTresHasSlurmsWord) {
  const struct {
    const char* tres;
    const char* association_word;
    const char* qos_word;
  } kCases[] = {
      {"cpu", "AssocGrpCPUMinutesLimit", "QOSGrpCPUMinutesLimit"},
      {"mem", "AssocGrpMemMinutes", "QOSGrpMemoryMinutes"},
      {"node", "AssocGrpNodeMinutes", "QOSGrpNodeMinutes"},
      {"energy", "AssocGrpEnergyMinutes", "QOSGrpEnergyMinutes"},
      {"billing", "AssocGrpBillingMinutes", "QOSGrpBillingMinutes"},
      {"gres/gpu:a100", "AssocGrpGRESMinutes", "QOSGrpGRESMinutes"},
      {"license/matlab", "AssocGrpLicenseMinutes", "QOSGrpLicenseMinutes"},
      {"bb/datawarp", "AssocGrpBBMinutes", "QOSGrpBBMinutes"},
      {"fs/disk", "AssocGrpUnknownMinutes", "QOSGrpUnknownMinutes"},
  };
  for (const auto& c : kCases) {
    SmallSite site;
    site.source.policy.enforce.safe = true;
    site.association("physics").limits.grp_tres_mins = {{c.tres, 1}};
    site.qos("high").grp_tres_mins = {{c.tres, 1}};
    Job ann = JobOf("1");
    ann.tres.emplace_back(c.tres, 2);
    ann.time_limit = absl::Minutes(1);
    Job cat = ann;
    cat.job_id = "2";
    cat.user = "cat";
    cat.account = "chemistry";
    cat.qos = {"high"};
    const auto snapshot = site.Build();
    const Job jobs[] = {ann, cat};
    const Ranking ranking = Rank(*snapshot, jobs, Now());
    ASSERT_EQ(ranking.ineligible.size(), 2u) << c.tres;
    EXPECT_EQ(ReasonName(snapshot->limits(), ranking.ineligible[0].why), c.association_word);
    EXPECT_EQ(ReasonName(snapshot->limits(), ranking.ineligible[1].why), c.qos_word);
  }
}

TEST_F(LimitsTest, GrpWallCountsTimeWhateverTheSize) {
  LimitsOf("physics", "ann").grp_wall = absl::Minutes(60);
  const auto snapshot = site_.Build();
  const AssociationIndex ann = snapshot->tree().FindUser("physics", "ann", "");
  site_.source.own_wall_seconds.assign(6, 0);
  site_.source.own_wall_seconds[ann] = 45 * kMinute;
  AddWanting("1", 64, 15);
  AddWanting("2", 1, 16);
  EXPECT_THAT(Ineligible(), ElementsAre("2: AssocGrpWallLimit: 45 + 0 + 16 > 60"));
}

TEST_F(LimitsTest, AQosHasLimitsOfItsOwnOverAllAccounts) {
  site_.qos("high").grp_tres_mins = {{"cpu", 100}};
  site_.qos("normal").grp_wall = absl::Minutes(5);
  site_.source.qos_usage = {{0, {}, 3 * kMinute}, {0, {{"cpu", 99 * kMinute}}, 0}};
  AddWanting("1", 2, 1).qos = {"high"};
  AddWanting("2", 1, 1).qos = {"high"};
  AddWanting("3", 1, 3).qos = {"normal"};
  AddWanting("4", 1, 2).qos = {"normal"};
  EXPECT_THAT(Ineligible(), ElementsAre("1: QOSGrpCPUMinutesLimit: 99 + 0 + 2 > 100",
                                        "3: QOSGrpWallLimit: 3 + 0 + 3 > 5"));
}

TEST_F(LimitsTest, RunningJobsKeepWhatTheyMayStillUse) {
  LimitsOf("physics").grp_tres_mins = {{"cpu", 100}};
  AddRunning("0", 2, 40);
  AddWanting("1", 1, 20);
  AddWanting("2", 1, 21);
  EXPECT_THAT(Ineligible(), ElementsAre("2: AssocGrpCPUMinutesLimit: 0 + 80 + 21 > 100"));
  // A quarter of an hour is recorded already and so stands among the used.
  site_.source.recorded_until["0"] = kNow + absl::Minutes(5);
  site_.source.own_tres_usage["cpu"] = {0, 30 * kMinute, 0, 0, 0, 0};
  EXPECT_THAT(Ineligible(), ElementsAre("2: AssocGrpCPUMinutesLimit: 30 + 50 + 21 > 100"));
}

TEST_F(LimitsTest, PastItsTimeLimitARunningJobUsesNothingMore) {
  LimitsOf("physics").grp_tres_mins = {{"cpu", 10}};
  AddRunning("0", 2, 5);
  site_.source.recorded_until["0"] = kNow;
  AddWanting("1", 1, 10);
  EXPECT_THAT(Ineligible(), IsEmpty());
}

TEST_F(LimitsTest, SuspendedJobsCountAndJobsOfOthersDoNot) {
  LimitsOf("physics").grp_tres_mins = {{"cpu", 100}};
  Job& other = AddRunning("0", 50, 40);
  other.user = "cat";
  other.account = "chemistry";
  AddWanting("1", 1, 100);
  EXPECT_THAT(Ineligible(), IsEmpty());
  AddRunning("2", 1, 1).state = JobState::kSuspended;
  EXPECT_EQ(Ineligible().size(), 1u);
}

TEST_F(LimitsTest, PendingJobsAreCheckedEachAlone) {
  LimitsOf("physics").grp_tres_mins = {{"cpu", 100}};
  AddWanting("1", 1, 100);
  AddWanting("2", 1, 100);
  EXPECT_THAT(Ineligible(), IsEmpty());
}

TEST_F(LimitsTest, UnlimitedTimeExceedsAnyLimitOnWhatTheJobHas) {
  LimitsOf("physics").grp_tres_mins = {{"cpu", 1e12}, {"gres/gpu", 5}};
  AddWanting("1", 1, 1).time_limit = absl::InfiniteDuration();
  AddWanting("2", 1, 1).time_limit.reset();
  AddWanting("3", 0, 1).time_limit.reset();
  const char* kMessage = "AssocGrpCPUMinutesLimit: 0 + 0 + inf > 1e+12";
  EXPECT_THAT(Ineligible(),
              ElementsAre(absl::StrCat("1: ", kMessage), absl::StrCat("2: ", kMessage)));
}

TEST_F(LimitsTest, WithoutATimeLimitThePartitionsDefaultCounts) {
  LimitsOf("physics").grp_tres_mins = {{"cpu", 100}};
  site_.partition("main").max_time = absl::Minutes(101);
  AddWanting("1", 1, 1).time_limit.reset();
  EXPECT_EQ(Ineligible().size(), 1u);
  site_.partition("main").default_time = absl::Minutes(100);
  EXPECT_THAT(Ineligible(), IsEmpty());
}

TEST_F(LimitsTest, BillingIsPricedByThePartitionOfThePair) {
  LimitsOf("physics").grp_tres_mins = {{"billing", 100}};
  site_.partition("fast").billing_weights = {{"cpu", 3}};
  AddWanting("1", 1, 50).partitions = {"main", "fast"};
  RankJobs();
  EXPECT_THAT(Pairs(), ElementsAre("1@main/normal"));
}

// As a real slurmctld reported them.
TEST_F(LimitsTest, WallComesBeforeMinutes) {
  LimitsOf("root").grp_wall = absl::Minutes(1);
  LimitsOf("physics").grp_tres_mins = {{"cpu", 1}};
  site_.qos("high").grp_tres_mins = {{"cpu", 1}};
  AddWanting("1", 1, 2).qos = {"high"};
  RankJobs();
  ASSERT_EQ(ranking_.ineligible.size(), 1u);
  EXPECT_EQ(ReasonOf(ranking_.ineligible[0]), "AssocGrpWallLimit");
}

TEST_F(LimitsTest, WithoutSafeAsByDefaultOnlyWhatWasUsedCounts) {
  site_.source.policy.enforce = Enforcement();
  LimitsOf("physics").grp_tres_mins = {{"billing", 100}};
  site_.usage = {{"physics/ann", 99 * kMinute}};
  AddRunning("0", 1, 1000);
  AddWanting("1", 64, 1000);
  EXPECT_THAT(Ineligible(), IsEmpty());
  site_.usage = {{"physics/ann", 100 * kMinute}};
  EXPECT_EQ(Ineligible().size(), 1u);
}

TEST_F(LimitsTest, WithoutLimitsInTheEnforcementNoneBites) {
  site_.source.policy.enforce.limits = false;
  LimitsOf("physics").others = {{LimitKind::kMaxJobs, "", 0}};
  AddWanting("1", 1, 1);
  EXPECT_THAT(Ineligible(), IsEmpty());
}

TEST_F(LimitsTest, GrpTresCountsWhatRunsBelowTheAccount) {
  LimitsOf("physics").others = {{LimitKind::kGrpTres, "cpu", 64}};
  AddRunning("0", 60, 10);
  AddWanting("1", 8, 10);
  AddWanting("2", 4, 10);
  EXPECT_THAT(Ineligible(), ElementsAre("1: AssocGrpCpuLimit: 0 + 60 + 8 > 64"));
}

TEST_F(LimitsTest, MaxJobsOfAnAccountCountsEachUserApart) {
  LimitsOf("physics").others = {{LimitKind::kMaxJobs, "", 1}};
  AddRunning("0", 1, 10);
  AddWanting("1", 1, 10);
  AddWanting("2", 1, 10).user = "bob";
  EXPECT_THAT(Ineligible(), ElementsAre("1: AssocMaxJobsLimit: 0 + 1 + 1 > 1"));
}

TEST_F(LimitsTest, AQosLimitOfTheSameKindReplacesTheAssociations) {
  LimitsOf("physics").others = {{LimitKind::kMaxTres, "cpu", 1}};
  site_.qos("high").other_limits = {{LimitKind::kMaxTres, "cpu", 8}};
  AddWanting("1", 8, 10).qos = {"high"};
  AddWanting("2", 9, 10).qos = {"high"};
  AddWanting("3", 2, 10).qos = {"normal"};
  EXPECT_THAT(Ineligible(), ElementsAre("2: QOSMaxCpuPerJobLimit: 0 + 0 + 9 > 8",
                                        "3: AssocMaxCpuPerJobLimit: 0 + 0 + 2 > 1"));
}

TEST_F(LimitsTest, PerUserCountsAUserInAllAccountsAndPerAccountAllItsUsers) {
  site_.qos("high").other_limits = {{LimitKind::kMaxTresPerAccount, "cpu", 10},
                                    {LimitKind::kMaxTresPerUser, "cpu", 8}};
  AddRunning("0", 6, 10).qos = {"high"};
  AddWanting("1", 3, 10).qos = {"high"};
  Job& bob = AddWanting("2", 5, 10);
  bob.user = "bob";
  bob.qos = {"high"};
  EXPECT_THAT(Ineligible(), ElementsAre("1: QOSMaxCpuPerUserLimit: 0 + 6 + 3 > 8",
                                        "2: MaxCpuPerAccount: 0 + 6 + 5 > 10"));
}

TEST_F(LimitsTest, LimitFactorMultipliesTheAssociationsTres) {
  LimitsOf("physics").others = {{LimitKind::kGrpTres, "cpu", 4}, {LimitKind::kMaxWall, "", 600}};
  site_.qos("high").limit_factor = 2;
  AddWanting("1", 8, 10).qos = {"high"};
  AddWanting("2", 9, 10).qos = {"high"};
  AddWanting("3", 1, 11).qos = {"high"};
  EXPECT_THAT(Ineligible(), ElementsAre("2: AssocGrpCpuLimit: 0 + 0 + 9 > 8",
                                        "3: AssocMaxWallDurationPerJobLimit: 0 + 0 + 11 > 10"));
}

TEST_F(LimitsTest, MaxWallIsTheTimeLimitOfAJobWithoutOne) {
  LimitsOf("physics").others = {{LimitKind::kMaxWall, "", 600},
                                {LimitKind::kMaxTresMins, "cpu", 20}};
  AddWanting("1", 2, 1).time_limit.reset();
  AddWanting("2", 3, 1).time_limit.reset();
  EXPECT_THAT(Ineligible(), ElementsAre("2: AssocMaxCpuMinutesPerJobLimit: 0 + 0 + 30 > 20"));
}

TEST_F(LimitsTest, UsageFactorCountsForWhatRunsAndNotForWhatIsWanted) {
  LimitsOf("physics").others = {{LimitKind::kGrpTresRunMins, "cpu", 100}};
  site_.qos("high").usage_factor = 2;
  AddRunning("0", 1, 20).qos = {"high"};
  AddWanting("1", 1, 60).qos = {"high"};
  AddWanting("2", 1, 61).qos = {"high"};
  EXPECT_THAT(Ineligible(), ElementsAre("2: AssocGrpCPURunMinutesLimit: 0 + 40 + 61 > 100"));
}

TEST_F(LimitsTest, AHeldJobIsReportedAsHeld) {
  LimitsOf("physics").grp_tres_mins = {{"cpu", 1}};
  AddWanting("1", 1, 2).hold = Hold::kUser;
  RankJobs();
  EXPECT_EQ(ReasonOf(ranking_.ineligible.at(0)), "JobHeldUser");
}

TEST_F(LimitsTest, AJobOverALimitKeepsAgeing) {
  site_.source.policy.weight_age = 1000;
  site_.source.policy.max_age = absl::Hours(2);
  LimitsOf("physics").grp_tres_mins = {{"cpu", 1}};
  AddWanting("1", 1, 2);
  RankJobs();
  EXPECT_EQ(ranking_.ineligible.at(0).priority, 500u);
}

TEST_F(LimitsTest, UsageKeepsDecayingUntilAsOf) {
  LimitsOf("physics").grp_tres_mins = {{"billing", 100}};
  site_.usage = {{"physics/ann", 160 * kMinute}};
  const HalfLifeChange timeline[] = {{absl::InfinitePast(), absl::Hours(1)}};
  site_.source.decay = std::make_shared<const UsageDecay>(timeline, ResetRule());
  AddWanting("1", 1, 20);
  EXPECT_EQ(Ineligible().size(), 1u);
  options_.as_of = kNow + absl::Hours(1);
  EXPECT_THAT(Ineligible(), IsEmpty());
}

TEST_F(LimitsTest, AQosWithoutDecayForgetsAtAResetOnly) {
  site_.qos("high").grp_tres_mins = {{"billing", 100}};
  site_.qos("high").no_decay = true;
  site_.source.qos_usage = {{}, {90 * kMinute, {}, 0}};
  ResetRule daily;
  daily.period = ResetPeriod::kDaily;
  const HalfLifeChange timeline[] = {{absl::InfinitePast(), absl::Minutes(1)}};
  site_.source.decay = std::make_shared<const UsageDecay>(timeline, daily);
  AddWanting("1", 1, 20).qos = {"high"};
  options_.as_of = kNow + absl::Hours(1);
  EXPECT_EQ(Ineligible().size(), 1u);
  options_.as_of = kNow + absl::Hours(24);
  EXPECT_THAT(Ineligible(), IsEmpty());
}

}  // namespace
}  // namespace priorityd::priority
