// What grants of usage do to jobs, on the small site.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/priority/jobs/job_table.h"
#include "engine/priority/ranking/limit_check.h"
#include "engine/priority/ranking/scoring.h"
#include "tests/engine/priority/draw.h"
#include "tests/engine/priority/ranking/grant_ranking_fixture.h"

namespace priorityd::priority {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// --- Block ------------------------------------------------------------------------------

class GrantBlockTest : public GrantRankingTest {};

TEST_F(GrantBlockTest, WithoutSafeJobsWaitFromTheMomentAllIsUsed) {
  AddGrant({"physics"}, "billing", 100, 99.9);
  AddWanting("1", 8, 600);
  EXPECT_THAT(Order(), ElementsAre("1"));
  site_.source.grants.Change(0).used = 100 * kPerMinute;
  EXPECT_THAT(Ineligible(), ElementsAre("1: AssocGrpBillingMinutes: 100 + 0 + 4800 > 100"));
}

// 80 used + 5 CPUs x 5 minutes = 105.
TEST_F(GrantBlockTest, UnderSafeTheWholeJobMustFit) {
  site_.source.policy.enforce.safe = true;
  AddGrant({"physics"}, "billing", 100, 80);
  AddWanting("dan", 5, 5);
  AddWanting("fits", 5, 4);
  EXPECT_THAT(Ineligible(), ElementsAre("dan: AssocGrpBillingMinutes: 80 + 0 + 25 > 100"));
  EXPECT_THAT(JobIds(ranking_, jobs_), ElementsAre("fits"));
}

// What running jobs of the other members may still use is not known.
TEST_F(GrantBlockTest, OneOfADomainHoldsJobsByUsageAloneAlsoUnderSafe) {
  site_.source.policy.enforce.safe = true;
  AddGrant({"physics"}, "billing", 100, 99.9).domain = "site";
  AddWanting("1", 8, 600);
  EXPECT_THAT(Ineligible(), IsEmpty());
  site_.source.grants.Change(0).used = 100 * kPerMinute;
  EXPECT_THAT(Ineligible(), ElementsAre("1: AssocGrpBillingMinutes: 100 + 0 + 4800 > 100"));
}

TEST_F(GrantBlockTest, OtherAccountsAndTresAreNotItsConcern) {
  AddGrant({"chemistry"}, "cpu", 1, 1);
  AddGrant({"physics"}, "gres/gpu", 1, 1);
  AddWanting("1", 8, 600);
  EXPECT_THAT(Ineligible(), IsEmpty());
}

TEST_F(GrantBlockTest, ThoseOfTheParentAndOfTheChildBothApply) {
  AddGrant({"root"}, "cpu", 100, 100);
  AddGrant({"physics"}, "cpu", 100, 0);
  AddWanting("1", 1, 1);
  OfCat(AddWanting("2", 1, 1));
  EXPECT_EQ(Ineligible().size(), 2u);
  site_.source.grants.Change(0).used = 0;
  site_.source.grants.Change(1).used = 100 * kPerMinute;
  EXPECT_THAT(Ineligible(), ElementsAre("1: AssocGrpCPUMinutesLimit: 100 + 0 + 1 > 100"));
}

TEST_F(GrantBlockTest, AUsersGrantHoldsForTheUserInThatAccountAlone) {
  AddGrant({"physics"}, "cpu", 100, 100).user = "ann";
  AddWanting("1", 1, 1);
  AddWanting("2", 1, 1).user = "bob";
  EXPECT_THAT(Ineligible(), ElementsAre("1: AssocGrpCPUMinutesLimit: 100 + 0 + 1 > 100"));
}

TEST_F(GrantBlockTest, ItsUsageNeitherDecaysNorIsReset) {
  AddGrant({"physics"}, "billing", 100, 100);
  ResetRule daily;
  daily.period = ResetPeriod::kDaily;
  const HalfLifeChange timeline[] = {{absl::InfinitePast(), absl::Minutes(1)}};
  site_.source.decay = std::make_shared<const UsageDecay>(timeline, daily);
  AddWanting("1", 1, 1);
  options_.as_of = kNow + absl::Hours(48);
  EXPECT_THAT(Ineligible(), ElementsAre("1: AssocGrpBillingMinutes: 100 + 0 + 1 > 100"));
}

TEST_F(GrantBlockTest, AQosReplacesItNotAndWithUsageFactor0NeedsNothingOfIt) {
  AddGrant({"physics"}, "cpu", 100, 100);
  site_.qos("high").grp_tres_mins = {{"cpu", 1000}};
  AddWanting("1", 1, 1).qos = {"high"};
  EXPECT_THAT(Ineligible(), ElementsAre("1: AssocGrpCPUMinutesLimit: 100 + 0 + 1 > 100"));
  site_.qos("high").usage_factor = 0;
  EXPECT_THAT(Ineligible(), IsEmpty());
}

TEST_F(GrantBlockTest, ItHoldsWhereNoLimitIsEnforced) {
  site_.source.policy.enforce.limits = false;
  site_.association("physics").limits.others = {{LimitKind::kGrpJobs, "", 0}};
  AddGrant({"physics"}, "cpu", 100, 99);
  AddWanting("1", 1, 1);
  EXPECT_THAT(Ineligible(), IsEmpty());
  site_.source.grants.Change(0).used = 100 * kPerMinute;
  EXPECT_THAT(Ineligible(), ElementsAre("1: AssocGrpCPUMinutesLimit: 100 + 0 + 1 > 100"));
}

// cat's job may still use 8 x 10 minutes of the 100, so ann's 2 x 10 fit and 2 x 11 do not. As
// physics is below root, no job counts twice.
TEST_F(GrantBlockTest, TheRunningJobsOfAllItsAccountsCountOnce) {
  site_.source.policy.enforce.safe = true;
  AddGrant({"chemistry", "physics", "physics"}, "cpu", 100, 0);
  Job& running = OfCat(AddWanting("0", 8, 10));
  running.state = JobState::kRunning;
  running.start_time = kNow;
  AddWanting("1", 2, 10);
  AddWanting("2", 2, 11);
  EXPECT_THAT(Ineligible(), ElementsAre("2: AssocGrpCPUMinutesLimit: 0 + 80 + 22 > 100"));
  site_.source.grants.Change(0).accounts = {"chemistry", "root", "physics"};
  EXPECT_THAT(Ineligible(), ElementsAre("2: AssocGrpCPUMinutesLimit: 0 + 80 + 22 > 100"));
}

// The job needs 200 of 100 and has to wait; a setting of 100 would refuse it under DenyOnLimit.
TEST_F(GrantBlockTest, ItRefusesNoJobAtSubmission) {
  site_.source.policy.enforce.safe = true;
  AddGrant({"physics"}, "cpu", 100, 0);
  AddWanting("1", 2, 100);
  EXPECT_THAT(Ineligible(), ElementsAre("1: AssocGrpCPUMinutesLimit: 0 + 0 + 200 > 100"));
  const auto exceeds_alone = [this] {
    snapshot_ = site_.Build();
    const FactorScale scale(*snapshot_);
    const JobTable table = BuildJobTable(scale, jobs_, kNow);
    const LimitDemands demands(*snapshot_, jobs_, table);
    const LimitCounts counts(snapshot_->limits());
    return LimitCheck(*snapshot_, counts, kNow).FirstExceededAlone(table, demands, 0).has_value();
  };
  EXPECT_FALSE(exceeds_alone());
  site_.association("physics").limits.grp_tres_mins = {{"cpu", 100}};
  EXPECT_TRUE(exceeds_alone());
}

// No part of usage that is left to decay frees the job, so marks of blocked rows hold for all.
TEST_F(GrantBlockTest, DecayFreesNoJobFromIt) {
  AddGrant({"physics"}, "cpu", 100, 100);
  AddWanting("1", 1, 1);
  RankJobs();
  const LimitCounts counts(snapshot_->limits());
  const LimitCheck check(*snapshot_, counts, kNow);
  LimitCheck::Kept fits = {-1, -1};
  check.RaiseTo(*ranking_.ineligible.at(0).why.exceeded, &fits);
  EXPECT_EQ(fits.usage, -1);
  EXPECT_EQ(fits.no_decay, -1);
}

TEST_F(GrantBlockTest, TheAgeOfAJobThatWaitsForItGrows) {
  site_.source.policy.weight_age = 1000;
  site_.source.policy.max_age = absl::Hours(2);
  AddGrant({"physics"}, "node", 1, 1);
  AddWanting("1", 1, 2);
  RankJobs();
  EXPECT_EQ(ranking_.ineligible.at(0).priority, 500u);
}

// --- Demote -----------------------------------------------------------------------------

// QOS normal 0, standby 20, high 100: with a weight of 1000 a job of QOS high has 1000 points, one
// that is demoted to standby 200.
class GrantDemotionTest : public GrantRankingTest {
 protected:
  GrantDemotionTest() {
    site_.source.policy.weight_qos = 1000;
    site_.source.qos.emplace_back();
    site_.source.qos.back().name = "standby";
    site_.source.qos.back().priority = 20;
    site_.source.qos.back().other_limits = {{LimitKind::kMaxJobs, "", 0}};
    Add("1").qos = {"high"};
    OfCat(Add("2")).qos = {"high"};
  }

  GrantStanding& AddDemotion(std::vector<std::string> accounts, std::string qos) {
    GrantStanding& grant = AddGrant(std::move(accounts), "billing", 100, 100);
    grant.consequence = GrantConsequence::kDemote;
    grant.demoted_qos = std::move(qos);
    return grant;
  }
  // `job: priority of QOS` in order.
  std::vector<std::string> Priorities() {
    RankJobs();
    std::vector<std::string> lines;
    for (const RankedRow& row : ranking_.ranked) {
      lines.push_back(absl::StrCat(jobs_[row.job].job_id, ": ", *row.priority, " of ",
                                   snapshot_->qos()[row.qos].name));
      EXPECT_EQ(row.contributions->qos, *row.priority > 1 ? *row.priority : 0);
      EXPECT_EQ(row.factors->qos * 1000, row.contributions->qos);
    }
    return lines;
  }
};

// The limit of standby, MaxJobs 0, does not become the job's.
TEST_F(GrantDemotionTest, AUsedUpGrantGivesTheFactorOfItsQosAndNothingElse) {
  AddDemotion({"physics"}, "standby");
  EXPECT_THAT(Priorities(), ElementsAre("2: 1000 of high", "1: 200 of high"));
  EXPECT_THAT(ranking_.ineligible, IsEmpty());
}

TEST_F(GrantDemotionTest, WhileSomethingIsLeftItGivesTheOwnOne) {
  AddDemotion({"physics"}, "standby").used = 99 * kPerMinute;
  EXPECT_THAT(Priorities(), ElementsAre("1: 1000 of high", "2: 1000 of high"));
  EXPECT_FALSE(snapshot_->demotes());
}

TEST_F(GrantDemotionTest, ARowIsDemotedByItsOwnQos) {
  AddDemotion({"physics"}, "standby");
  jobs_.clear();
  Add("1").qos = {"high", "normal", "high"};
  EXPECT_THAT(Priorities(), ElementsAre("1: 200 of high", "1: 1 of normal"))
      << "normal has less than standby; no job is promoted";
}

TEST_F(GrantDemotionTest, AQosThatDoesNotExistGivesNothing) {
  AddDemotion({"physics"}, "gone");
  EXPECT_THAT(Priorities(), ElementsAre("2: 1000 of high", "1: 1 of high"));
}

TEST_F(GrantDemotionTest, OfSeveralOnAPathTheLowestCounts) {
  AddDemotion({"root"}, "standby");
  EXPECT_THAT(Priorities(), ElementsAre("1: 200 of high", "2: 200 of high"));
  AddDemotion({"physics"}, "normal");
  AddDemotion({"physics"}, "high");
  EXPECT_THAT(Priorities(), ElementsAre("2: 200 of high", "1: 1 of high"));
  site_.source.grants.Change(0).demoted_qos = "normal";
  site_.source.grants.Change(1).demoted_qos = "standby";
  EXPECT_THAT(Priorities(), ElementsAre("1: 1 of high", "2: 1 of high"));
}

TEST_F(GrantDemotionTest, AUsersGrantDemotesTheUserAlone) {
  Add("3").qos = {"high"};
  jobs_.back().user = "bob";
  AddDemotion({"physics"}, "standby").user = "bob";
  EXPECT_THAT(Priorities(), ElementsAre("1: 1000 of high", "2: 1000 of high", "3: 200 of high"));
}

TEST_F(GrantDemotionTest, TheTermsOfARowHaveTheSamePoints) {
  AddDemotion({"physics"}, "standby");
  snapshot_ = site_.Build();
  const FactorScale scale(*snapshot_);
  const JobTable table = BuildJobTable(scale, jobs_, kNow);
  EXPECT_EQ(TermsOf(table, scale, kNow, 0)[static_cast<size_t>(Term::kQos)], 200);
  EXPECT_EQ(TermsOf(table, scale, kNow, 1)[static_cast<size_t>(Term::kQos)], 1000);
  EXPECT_EQ(LargestPriority(table, scale, 0, 1e18), 200u);
}

// As the tracked queue does with every snapshot.
TEST_F(GrantDemotionTest, ATableOfTheNextSnapshotHasItsFactors) {
  AddDemotion({"physics"}, "standby");
  const auto demoted = site_.Build();
  site_.source.grants.clear();
  const auto lifted = site_.Build();
  const auto priority_in = [this](const Snapshot& snapshot) {
    const FactorScale scale(snapshot);
    std::vector<uint32_t> priorities;
    Score(BuildJobTable(scale, jobs_, kNow), scale, kNow, priorities);
    return priorities.at(0);
  };
  EXPECT_EQ(priority_in(*demoted), 200u);
  EXPECT_EQ(priority_in(*lifted), 1000u);
}

TEST_F(GrantDemotionTest, AJobThatIsAddedLaterIsDemotedToo) {
  AddDemotion({"physics"}, "standby");
  snapshot_ = site_.Build();
  const FactorScale scale(*snapshot_);
  JobTableBuilder builder(scale, kNow);
  JobTable table = builder.Build({jobs_.data() + 1, 1});
  builder.Append(jobs_[0], &table);
  std::vector<uint32_t> priorities;
  Score(table, scale, kNow, priorities);
  EXPECT_THAT(priorities, ElementsAre(1000u, 200u));
}

// --- Without effect ---------------------------------------------------------------------

// All of a ranking, to the last bit.
std::vector<std::string> AllOf(const Snapshot& snapshot, const Ranking& ranking) {
  std::vector<std::string> rows;
  const auto add = [&](const JobRow& row, absl::string_view reason) {
    std::string text = absl::StrCat(row.job, "@", row.partition, "/", row.qos, " ", reason, " ",
                                    row.priority.value_or(0));
    for (const auto* terms : {row.factors.get(), row.contributions.get()}) {
      if (terms == nullptr) continue;
      for (const double term : {terms->age, terms->assoc, terms->fair_share, terms->job_size,
                                terms->partition, terms->qos, SumOf(*terms)}) {
        absl::StrAppendFormat(&text, " %a", term);
      }
    }
    rows.push_back(std::move(text));
  };
  for (const RankedRow& row : ranking.ranked) add(row, "");
  for (const IneligibleRow& row : ranking.ineligible) {
    add(row, ReasonName(snapshot.limits(), row.why));
  }
  for (const JobRow& row : ranking.running) add(row, "runs");
  return rows;
}

TEST(GrantsTest, WithoutAConsequenceOrWhileMuchIsLeftChangeNothingToTheLastBit) {
  for (int seed = 0; seed < 300; ++seed) {
    Draw draw(seed);
    SmallSite site = draw.Site();
    site.source.policy.enforce.safe = false;
    site.source.grants.clear();
    std::vector<Job> jobs;
    for (int n = draw.Below(40); n > 0; --n) jobs.push_back(draw.NextJob());
    const auto without = site.Build();
    const JobTable table = BuildJobTable(FactorScale(*without), jobs, kNow);
    EXPECT_TRUE(table.factor_qos.empty());
    for (const GrantConsequence consequence :
         {GrantConsequence::kNone, GrantConsequence::kDemote, GrantConsequence::kBlock,
          GrantConsequence::kReduce, GrantConsequence::kBand, GrantConsequence::kCap}) {
      GrantStanding& grant = site.source.grants.emplace_back();
      grant.accounts = {"physics"};
      grant.tres = "billing";
      grant.used = consequence == GrantConsequence::kNone ? 1e9 : 1;
      grant.available = 1e9;
      grant.consequence = consequence;
      grant.demoted_qos = "low";
      grant.measure.tres = "cpu";
    }
    const auto with = site.Build();
    ASSERT_EQ(AllOf(*without, Rank(*without, jobs, Now())), AllOf(*with, Rank(*with, jobs, Now())))
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace priorityd::priority
