#include "engine/explanation/grant_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "engine/explanation/advice.h"
#include "engine/explanation/comparison.h"
#include "engine/explanation/explanation.h"
#include "engine/explanation/reason_text.h"
#include "tests/engine/explanation/golden.h"
#include "tests/engine/priority/ranking_fixture.h"

namespace priorityd::explanation {
namespace {

using priority::GrantConsequence;
using priority::GrantStanding;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr double kPerMinute = 60;

class GrantTextTest : public priority::RankingTest {
 protected:
  GrantTextTest() {
    priority::Job& job = Add("1");
    job.cpus = 5;
    job.time_limit = absl::Minutes(5);
    job.qos = {"high"};
  }

  GrantStanding& AddGrant(GrantConsequence consequence, double minutes, double used) {
    GrantStanding& grant = site_.source.grants.emplace_back();
    grant.name = "q4";
    grant.accounts = {"physics"};
    grant.tres = "billing";
    grant.available = minutes * kPerMinute;
    grant.used = used * kPerMinute;
    grant.until = absl::FromCivil(absl::CivilDay(2027, 4, 1), absl::UTCTimeZone());
    grant.consequence = consequence;
    grant.demoted_qos = "normal";
    return grant;
  }
  std::string Reason() {
    RankJobs();
    const priority::IneligibleRow& row = ranking_.ineligible.at(0);
    return ReasonText(*snapshot_, jobs_[row.job], row, row.why);
  }
  std::string Advice() {
    RankJobs();
    const priority::IneligibleRow& row = ranking_.ineligible.at(0);
    return AdviceText(*snapshot_, jobs_[row.job], row, row.why);
  }
  std::vector<std::string> Sentences() {
    snapshot_ = site_.Build();
    ExplainOptions options;
    options.as_of = priority::kNow;
    options.job_id = "1";
    return Explain(*snapshot_, jobs_, options).value().sentences;
  }
};

TEST_F(GrantTextTest, AReasonNamesTheGrantItsAmountAndItsWindow) {
  GrantStanding& grant = AddGrant(GrantConsequence::kBlock, 2000, 2000);
  grant.has_grace = grant.has_borrow = grant.has_others = true;
  EXPECT_EQ(Reason(), Golden("grants", "all-used"));
  EXPECT_THAT(Sentences(), Contains(Golden("grants", "cannot-start")));
  site_.source.grants.Change(0).used = 2100 * kPerMinute;
  site_.source.grants.Change(0).until = absl::InfiniteFuture();
  EXPECT_EQ(Reason(), Golden("grants", "more-than-all-used"));
}

TEST_F(GrantTextTest, AReasonNamesOnlyWhatTheFiguresHave) {
  GrantStanding& grant = AddGrant(GrantConsequence::kBlock, 2000, 2000);
  EXPECT_EQ(Reason(), Golden("grants", "with-nothing-else"));
  grant.has_grace = true;
  EXPECT_EQ(Reason(), Golden("grants", "with-grace-alone"));
  grant.has_grace = false;
  grant.has_borrow = grant.has_others = true;
  EXPECT_EQ(Reason(), Golden("grants", "with-borrow-and-others"));
}

TEST_F(GrantTextTest, AGrantOfADomainIsNamedWithTheDomain) {
  site_.source.policy.enforce.safe = true;
  AddGrant(GrantConsequence::kBlock, 2000, 2000).domain = "site";
  EXPECT_THAT(Reason(), HasSubstr("grant q4 of domain site of account physics is used up: 2000 "
                                  "billing minutes used until 2027-04-01T00:00:00"));
  EXPECT_THAT(Advice(), HasSubstr("It can start when grant q4 of domain site is raised, or when"));
}

// More is used than there is: a record came late.
TEST_F(GrantTextTest, AnOverdrawnGrantLeavesNothing) {
  site_.source.policy.enforce.safe = true;
  AddGrant(GrantConsequence::kBlock, 100, 150);
  EXPECT_EQ(Reason(), Golden("grants", "nothing-left"));
}

TEST_F(GrantTextTest, UnderSafeAReasonHasWhatIsLeftAndWhatIsNeeded) {
  site_.source.policy.enforce.safe = true;
  AddGrant(GrantConsequence::kBlock, 100, 80);
  EXPECT_EQ(Reason(), Golden("grants", "sum"));
  priority::Job& running = Add("2");
  running.state = priority::JobState::kRunning;
  running.start_time = priority::kNow;
  running.cpus = 1;
  running.time_limit = absl::Minutes(10);
  EXPECT_EQ(Reason(), Golden("grants", "sum-with-running-jobs"));
}

TEST_F(GrantTextTest, AGrantOfAUserNamesTheUserAndOneOfSeveralAccountsTheJobsOne) {
  AddGrant(GrantConsequence::kBlock, 2000, 2000).user = "ann";
  EXPECT_EQ(Reason(), Golden("grants", "of-a-user"));
  site_.source.grants.Change(0).user = "";
  site_.source.grants.Change(0).accounts = {"chemistry", "physics", "gone"};
  EXPECT_EQ(Reason(), Golden("grants", "of-several-accounts"));
}

TEST_F(GrantTextTest, AdviceSaysWhenTheWindowEnds) {
  AddGrant(GrantConsequence::kBlock, 2000, 2000);
  EXPECT_EQ(Advice(), Golden("grants", "advice"));
  site_.source.grants.Change(0).until = absl::InfiniteFuture();
  EXPECT_EQ(Advice(), Golden("grants", "advice-without-an-end"));
}

// 5 CPUs for 5 minutes need 25 of 20.
TEST_F(GrantTextTest, UnderSafeAJobThatNeedsMoreThanAllIsAdvisedToRequestLess) {
  site_.source.policy.enforce.safe = true;
  AddGrant(GrantConsequence::kBlock, 20, 0);
  EXPECT_EQ(Advice(), Golden("grants", "advice-too-large"));
  site_.source.grants.Change(0).until = absl::InfiniteFuture();
  EXPECT_EQ(Advice(), Golden("grants", "advice-too-large-without-an-end"));
}

// --- Demotion ---------------------------------------------------------------------------

class DemotionTextTest : public GrantTextTest {
 protected:
  DemotionTextTest() {
    site_.source.policy.weight_qos = 1000;
    AddGrant(GrantConsequence::kDemote, 2000, 2000);
  }
};

TEST_F(DemotionTextTest, AFactorOfNoPointsSaysWhy) {
  EXPECT_THAT(Sentences(), Contains(HasSubstr(Golden("grants", "demoted-to-nothing"))));
}

TEST_F(DemotionTextTest, AFactorWithPointsSaysWhyItHasNoMore) {
  site_.qos("normal").priority = 20;
  EXPECT_THAT(Sentences(), Contains(Golden("grants", "demoted")));
}

TEST_F(DemotionTextTest, AQosThatDoesNotExistIsSaidNotToExist) {
  site_.source.grants.Change(0).demoted_qos = "gone";
  EXPECT_THAT(Sentences(), Contains(HasSubstr(Golden("grants", "demoted-to-none"))));
}

TEST_F(DemotionTextTest, AJobWithItsOwnFactorIsNotSaidToBeDemoted) {
  site_.source.grants.Change(0).used = 0;
  EXPECT_THAT(Sentences(), Not(Contains(HasSubstr("instead of"))));
  site_.source.grants.Change(0).used = 2000 * kPerMinute;
  jobs_[0].qos = {"normal"};
  EXPECT_THAT(Sentences(), Not(Contains(HasSubstr("instead of"))));
}

TEST_F(DemotionTextTest, AComparisonSaysWhichOfTheTwoIsDemoted) {
  priority::Job& cats = Add("2");
  cats.user = "cat";
  cats.account = "chemistry";
  cats.qos = {"high"};
  snapshot_ = site_.Build();
  CompareOptions options;
  options.as_of = priority::kNow;
  options.job.job_id = "1";
  options.compare_to.job_id = "2";
  const Comparison comparison = Compare(*snapshot_, jobs_, options).value();
  EXPECT_EQ(comparison.first, 1);
  EXPECT_THAT(comparison.sentences, Contains(Golden("grants", "compared")));
  EXPECT_THAT(comparison.sentences, Contains("Job 2 gets more points from qos (1000)."));
}

// --- A part of a factor, a band, a cap, a refusal and a warning -----------------------------

class PenaltyTextTest : public GrantTextTest {
 protected:
  PenaltyTextTest() {
    priority::Policy& policy = site_.source.policy;
    policy.weight_age = policy.weight_assoc = policy.weight_fair_share = 0;
    policy.weight_job_size = policy.weight_partition = 0;
    policy.weight_tres.clear();
    policy.weight_qos = 1000;
  }
  GrantStanding& AddPenalty(GrantConsequence consequence, double most) {
    GrantStanding& grant = AddGrant(consequence, 2000, 2000);
    grant.measure = {.factor = priority::ReducedFactor::kQos, .most = most, .tres = "cpu"};
    return grant;
  }
};

TEST_F(PenaltyTextTest, AReducedFactorSaysHowMuchOfItCountsAndWhy) {
  AddPenalty(GrantConsequence::kReduce, 0.25);
  EXPECT_THAT(Sentences(), Contains(Golden("grants", "reduced")));
  EXPECT_THAT(Sentences(), Contains(Golden("grants", "reduced-has")));
  site_.source.grants.Change(0).measure.factor = priority::ReducedFactor::kAll;
  EXPECT_THAT(Sentences(), Contains(Golden("grants", "reduced-all")));
}

TEST_F(PenaltyTextTest, AComparisonSaysWhichOfTheTwoIsReduced) {
  priority::Job& cats = Add("2");
  cats.user = "cat";
  cats.account = "chemistry";
  cats.qos = {"high"};
  AddPenalty(GrantConsequence::kReduce, 0.25);
  snapshot_ = site_.Build();
  CompareOptions options;
  options.as_of = priority::kNow;
  options.job.job_id = "1";
  options.compare_to.job_id = "2";
  EXPECT_THAT(Compare(*snapshot_, jobs_, options).value().sentences,
              Contains(Golden("grants", "reduced-compared")));
}

TEST_F(PenaltyTextTest, ABandSaysWhyThePriorityIsNotTheSum) {
  AddPenalty(GrantConsequence::kBand, 70);
  EXPECT_THAT(Sentences(), Contains(Golden("grants", "band")));
  EXPECT_THAT(Sentences(), Contains(Golden("grants", "band-has")));
}

TEST_F(PenaltyTextTest, ACapSaysHowManyRunAndWhatToDo) {
  AddPenalty(GrantConsequence::kCap, 8);
  EXPECT_THAT(Sentences(), Contains(Golden("grants", "capped-note")));
  priority::Job& running = Add("2");
  running.state = priority::JobState::kRunning;
  running.start_time = priority::kNow;
  running.cpus = 4;
  EXPECT_EQ(Reason(), Golden("grants", "capped"));
  EXPECT_EQ(Advice(), Golden("grants", "capped-advice"));
  site_.source.grants.Change(0).measure.most = 4;
  EXPECT_EQ(Advice(), Golden("grants", "capped-advice-alone"));
}

TEST_F(PenaltyTextTest, ARefusalAndAWarningAreNotSilent) {
  AddPenalty(GrantConsequence::kRefuse, 0);
  EXPECT_THAT(Sentences(), Contains(Golden("grants", "refusing")));
  site_.source.grants.Change(0).consequence = GrantConsequence::kWarn;
  EXPECT_THAT(Sentences(), Contains(Golden("grants", "warning")));
  site_.source.grants.Change(0).used = 0;
  EXPECT_THAT(Sentences(), Not(Contains(HasSubstr("grant q4"))));
}

}  // namespace
}  // namespace priorityd::explanation
