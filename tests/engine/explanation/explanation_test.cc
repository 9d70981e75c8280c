#include "engine/explanation/explanation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/engine/explanation/golden.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::explanation {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class ExplanationTest : public testing::Test {
 protected:
  ExplanationTest() {
    site_.usage = {{"physics/ann", 300}, {"physics/bob", 100}, {"chemistry/cat", 600}};
    site_.source.policy.max_age = absl::Hours(4);
    jobs_ = {priority::JobOf("1"), priority::JobOf("2"), priority::JobOf("3")};
  }

  priority::Job& job() { return jobs_[1]; }

  absl::StatusOr<Explanation> TryExplain(absl::string_view job_id = "2") {
    snapshot_ = site_.Build();
    options_.as_of = priority::kNow;
    options_.job_id = job_id;
    return Explain(*snapshot_, jobs_, options_);
  }
  Explanation ExplainJob() { return TryExplain().value(); }
  std::string PartitionOf(const Explanation& explanation) {
    return snapshot_->partitions()[explanation.row.partition].name;
  }
  std::vector<std::string> Sentences() { return ExplainJob().sentences; }
  FactorExplanation Factor(absl::string_view name) {
    const Explanation explained = ExplainJob();
    for (const FactorExplanation& factor : explained.factors) {
      if (factor.name == name) return factor;
    }
    ADD_FAILURE() << "no factor " << name;
    return {};
  }

  priority::SmallSite site_;
  priority::Policy& policy_ = site_.source.policy;
  std::vector<priority::Job> jobs_;
  ExplainOptions options_;
  std::unique_ptr<const priority::Snapshot> snapshot_;
};

// --- Figures ----------------------------------------------------------------------------

TEST_F(ExplanationTest, EveryTermOfTheSumIsThereInSlurmsOrder) {
  policy_.weight_tres = {{"cpu", 100}, {"mem", 10}};
  std::vector<std::string> names;
  const Explanation explained = ExplainJob();
  for (const FactorExplanation& factor : explained.factors) names.push_back(factor.name);
  EXPECT_THAT(names, ElementsAre("age", "assoc", "fair_share", "job_size", "partition", "qos",
                                 "tres/cpu", "tres/mem", "site", "nice"));
}

TEST_F(ExplanationTest, TheContributionsAddUpToTheSumAndThePriority) {
  policy_.weight_age = 1000;
  policy_.weight_partition = 200;
  job().nice = 20;
  const Explanation explanation = ExplainJob();
  double sum = 0;
  for (const FactorExplanation& factor : explanation.factors) {
    EXPECT_DOUBLE_EQ(factor.contribution, factor.weight * factor.factor) << factor.name;
    sum += factor.contribution;
  }
  EXPECT_DOUBLE_EQ(sum, 250 + 200 - 20);
  EXPECT_DOUBLE_EQ(explanation.sum, sum);
  EXPECT_EQ(explanation.row.priority, 430u);
}

TEST_F(ExplanationTest, SharesAreFractionsOfThePositiveContributions) {
  policy_.weight_age = 1000;
  policy_.weight_partition = 750;
  job().nice = 600;
  EXPECT_DOUBLE_EQ(Factor("age").share, 0.25);
  EXPECT_DOUBLE_EQ(Factor("partition").share, 0.75);
  EXPECT_EQ(Factor("nice").share, 0);
  EXPECT_EQ(Factor("qos").share, 0);
}

TEST_F(ExplanationTest, NegativeNiceHasAShare) {
  job().nice = -100;
  EXPECT_EQ(Factor("nice").factor, -100);
  EXPECT_EQ(Factor("nice").weight, -1);
  EXPECT_EQ(Factor("nice").contribution, 100);
  EXPECT_EQ(Factor("nice").share, 1);
}

TEST_F(ExplanationTest, ThePathGoesFromRootToTheAssociation) {
  std::vector<std::string> path;
  const Explanation explained = ExplainJob();
  for (const priority::AssociationIndex i : explained.fair_share_path) {
    path.push_back(std::string(snapshot_->tree().is_user(i) ? snapshot_->tree().user(i)
                                                            : snapshot_->tree().account(i)));
  }
  EXPECT_THAT(path, ElementsAre("root", "physics", "ann"));
}

TEST_F(ExplanationTest, TheBillingArithmeticIsShown) {
  site_.partition("main").billing_weights = {{"cpu", 1}, {"mem", 0.25 / 1024}};
  site_.qos("high").usage_factor = 2;
  job().cpus = 1;
  job().tres = {{"mem", 60 * 1024}};
  job().qos = {"high"};
  const Explanation explanation = ExplainJob();
  EXPECT_EQ(explanation.billing_rule, priority::BillingRule::kSum);
  EXPECT_EQ(explanation.billing_terms.size(), 2u);
  EXPECT_DOUBLE_EQ(explanation.billing, 16);
  EXPECT_EQ(explanation.usage_factor, 2);
  EXPECT_THAT(explanation.sentences, Contains(Golden("explanation", "billing")));
}

// --- Place -------------------------------------------------------------------------------

TEST_F(ExplanationTest, ItsRankIsThatOfTheRanking) {
  jobs_[0].site_factor = 100;
  jobs_[2].hold = priority::Hold::kUser;
  const Explanation explanation = ExplainJob();
  EXPECT_EQ(explanation.rank, 2u);
  EXPECT_EQ(explanation.ranked_total, 2u);
  EXPECT_EQ(explanation.sentences.at(0), Golden("explanation", "place"));
  EXPECT_EQ(TryExplain("1")->sentences.at(0), Golden("explanation", "first"));
}

TEST_F(ExplanationTest, WithoutAPartitionTheBestRowIsExplained) {
  site_.partition("fast").priority_tier = 2;
  job().partitions = {"main", "fast"};
  EXPECT_EQ(PartitionOf(ExplainJob()), "fast");
  options_.partition = "main";
  const Explanation explanation = ExplainJob();
  EXPECT_EQ(PartitionOf(explanation), "main");
  EXPECT_EQ(explanation.rank, 3u);
  EXPECT_EQ(explanation.ranked_total, 4u);
}

TEST_F(ExplanationTest, AQosPicksAPairToo) {
  job().qos = {"high", "normal"};
  options_.qos = "normal";
  EXPECT_EQ(ExplainJob().row.qos, 0);  // The first of the site's.
}

TEST_F(ExplanationTest, APairThatCannotStartIsExplainedWhenAskedFor) {
  site_.partition("fast").up = false;
  job().partitions = {"main", "fast"};
  EXPECT_EQ(ExplainJob().ineligible_reason, "");
  options_.partition = "fast";
  EXPECT_EQ(ExplainJob().ineligible_reason, "PartitionDown");
  EXPECT_EQ(ExplainJob().rank, 0u);
}

TEST_F(ExplanationTest, UnknownJobsAndPairsAreNotFound) {
  EXPECT_EQ(TryExplain("4").status().code(), absl::StatusCode::kNotFound);
  options_.partition = "fast";
  EXPECT_EQ(TryExplain().status().code(), absl::StatusCode::kNotFound);
  options_.partition = "";
  jobs_.clear();
  EXPECT_EQ(TryExplain("").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ExplanationTest, TheOnlyJobNeedsNoId) {
  EXPECT_EQ(TryExplain("").status().code(), absl::StatusCode::kInvalidArgument);
  jobs_.resize(1);
  EXPECT_TRUE(TryExplain("").ok());
}

// --- Sentences ------------------------------------------------------------------------------

TEST_F(ExplanationTest, FairShareIsDescribedByLevelFsInFairTree) {
  policy_.weight_fair_share = 10000;
  policy_.weight_partition = 2500;
  // physics has 60 % of the shares and 40 % of the usage, ann 3/4 of that and
  // one share of two. The fair tree: bob, ann, cat.
  const std::vector<std::string> sentences = Sentences();
  EXPECT_THAT(sentences, Contains(Golden("explanation", "fair-tree")));
  EXPECT_THAT(sentences, Contains(Golden("explanation", "accounts")));
  EXPECT_NEAR(Factor("fair_share").contribution, 10000 * 2.0 / 3, 1e-6);
  EXPECT_NEAR(Factor("fair_share").share, 6667.0 / 9167, 1e-4);
}

TEST_F(ExplanationTest, WithoutFairTreeFairShareIsDescribedByF) {
  policy_.weight_fair_share = 10000;
  policy_.algorithm = priority::FairShareAlgorithm::kClassic;
  // Effective usage .3 + (.4 - .3) / 2 = .35, norm shares .3: F = 2^-(.35/.3) = .445.
  const std::vector<std::string> sentences = Sentences();
  EXPECT_THAT(sentences, Contains(HasSubstr("physics/ann has an effective usage of 35.0% and is "
                                            "due 30.0%, so F is 0.45 (over-served)")));
  EXPECT_THAT(sentences, Not(Contains(HasSubstr("LevelFS"))));
}

TEST_F(ExplanationTest, UsersWithoutUsageOrWithParentsShareAreExplained) {
  policy_.weight_fair_share = 10000;
  site_.usage.clear();
  EXPECT_THAT(Factor("fair_share").raw_input,
              HasSubstr("physics/ann has used nothing, so its LevelFS is infinite (under-served)"));
  site_.association("physics", "ann").raw_shares.reset();
  EXPECT_THAT(Factor("fair_share").raw_input, HasSubstr("has the shares of its account (parent)"));
}

TEST_F(ExplanationTest, AgeStatesTheWaitAndItsMaximum) {
  policy_.weight_age = 1000;
  EXPECT_THAT(Sentences(), Contains(Golden("explanation", "age")));
  EXPECT_DOUBLE_EQ(Factor("age").contribution, 250);
  policy_.max_age = absl::Minutes(10);
  EXPECT_EQ(Factor("age").raw_input, Golden("factors", "age-beyond-max-age"));
}

TEST_F(ExplanationTest, OfAJobThatRunsItIsNotSaidThatItWaits) {
  job().state = priority::JobState::kRunning;
  EXPECT_EQ(Factor("age").raw_input, Golden("factors", "age-of-a-running-job"));
}

TEST_F(ExplanationTest, AgeReportsWhyThereIsNone) {
  job().hold = priority::Hold::kUser;
  EXPECT_EQ(Factor("age").raw_input, Golden("factors", "age-of-a-held-job"));
  job().hold = priority::Hold::kNone;
  site_.association("physics", "ann").limits.max_jobs_accrue = 1;
  EXPECT_EQ(Factor("age").raw_input, Golden("factors", "age-under-accrue-limits"));
  job().time_limit = absl::Hours(3);
  site_.association("physics").limits.others = {{priority::LimitKind::kMaxWall, "", 7200}};
  EXPECT_EQ(Factor("age").raw_input, Golden("factors", "age-over-a-limit"));
  job().accrue_time = priority::kNow - absl::Hours(100);
  job().accrual_stopped = priority::kNow - absl::Hours(50);
  EXPECT_EQ(Factor("age").raw_input, Golden("factors", "age-kept"));
}

TEST_F(ExplanationTest, TheLargestContributionIsReportedFirst) {
  policy_.weight_age = 1000;
  policy_.weight_partition = 500;
  job().nice = 700;
  const std::vector<std::string> sentences = Sentences();
  std::vector<std::string> given;
  for (const std::string& sentence : sentences) {
    if (sentence.find("gives") != std::string::npos ||
        sentence.find("nice value") != std::string::npos) {
      given.push_back(sentence.substr(0, 8));
    }
  }
  EXPECT_THAT(given, ElementsAre("Its nice", "The part", "Age give"));
}

TEST_F(ExplanationTest, WhatHasNoWeightIsNamedOnce) {
  policy_.weight_age = 1000;
  policy_.weight_qos = 500;
  site_.qos("normal").name = "idle";  // Else it is the job's.
  const std::vector<std::string> sentences = Sentences();
  EXPECT_THAT(sentences, Contains(Golden("explanation", "no-points")));
  EXPECT_THAT(sentences, Contains(Golden("explanation", "no-weight")));
}

TEST_F(ExplanationTest, AJobThatCannotStartSaysSoFirst) {
  site_.partition("main").max_time = absl::Hours(2);
  job().time_limit = absl::Hours(48);
  const Explanation explanation = ExplainJob();
  EXPECT_EQ(explanation.ineligible_reason, "PartitionTimeLimit");
  EXPECT_EQ(explanation.sentences.at(0), Golden("explanation", "cannot-start"));
}

TEST_F(ExplanationTest, AJobWithoutAnyPairHasItsReasonAndTheAdviceAlone) {
  job().account = "no";
  const Explanation explanation = ExplainJob();
  EXPECT_EQ(explanation.ineligible_reason, "InvalidAccount");
  EXPECT_THAT(explanation.factors, IsEmpty());
  EXPECT_THAT(explanation.fair_share_path, IsEmpty());
  EXPECT_FALSE(explanation.resolved);
  ASSERT_EQ(explanation.sentences.size(), 2u);
  EXPECT_EQ(explanation.sentences[1], Golden("advice", "account"));
}

TEST_F(ExplanationTest, ARunningJobHasNoPlace) {
  job().state = priority::JobState::kRunning;
  const Explanation explanation = ExplainJob();
  EXPECT_EQ(explanation.rank, 0u);
  EXPECT_EQ(explanation.ineligible_reason, "");
  EXPECT_EQ(explanation.sentences.at(0), Golden("explanation", "started"));
}

TEST_F(ExplanationTest, RulesThatGoBeforePriorityAreReported) {
  site_.partition("fast").priority_tier = 5;
  job().preemptor = true;
  job().reservation = "r";
  const std::vector<std::string> sentences = Sentences();
  EXPECT_THAT(sentences.at(1), HasSubstr("It can preempt"));
  EXPECT_THAT(sentences.at(2), HasSubstr("It has a reservation"));
  EXPECT_EQ(sentences.at(3), Golden("explanation", "tier"));
}

TEST_F(ExplanationTest, AReplacementOrBoundOfTheSumIsExplained) {
  job().site_factor = 40;
  EXPECT_THAT(Sentences(), Contains(Golden("explanation", "sum")));
  EXPECT_EQ(ExplainJob().row.priority, 40u);
  job().nice = 100;
  EXPECT_THAT(Sentences(), Contains(HasSubstr("Its points sum to -60; the lowest priority")));
  job().site_factor = 99999999999;
  EXPECT_THAT(Sentences(), Contains(HasSubstr("the highest priority is 4294967295")));
  job().admin_priority = 7;
  EXPECT_THAT(Sentences(), Contains(Golden("explanation", "administrator")));
  EXPECT_EQ(ExplainJob().row.priority, 7u);
  job().hold = priority::Hold::kUser;
  EXPECT_THAT(Sentences(), Contains(Golden("explanation", "held")));
  EXPECT_EQ(ExplainJob().row.priority, 0u);
}

TEST_F(ExplanationTest, IncrOnlyIsReported) {
  policy_.incr_only = true;
  job().site_factor = 40;
  job().previous_priority = 90;
  EXPECT_THAT(Sentences(), Contains(Golden("explanation", "incr-only")));
  EXPECT_EQ(ExplainJob().row.priority, 90u);
}

TEST_F(ExplanationTest, UnderBasicThereIsNothingToAdd) {
  policy_.priority_type = priority::PriorityType::kBasic;
  const Explanation explanation = ExplainJob();
  EXPECT_THAT(explanation.factors, IsEmpty());
  EXPECT_THAT(explanation.sentences, Contains(HasSubstr("priority/basic")));
  EXPECT_EQ(explanation.rank, 2u);
}

// --- Rank among siblings ------------------------------------------------------------------

TEST_F(ExplanationTest, SiblingsRankByLevelFsInFairTree) {
  snapshot_ = site_.Build();
  const priority::AssociationTree& tree = snapshot_->tree();
  const auto rank = [&](priority::AssociationIndex i) {
    const SiblingRank rank = RankAmongSiblings(*snapshot_, i);
    return std::pair(rank.rank, rank.count);
  };
  EXPECT_EQ(rank(tree.FindAccount("physics")), std::pair(1, 2));
  EXPECT_EQ(rank(tree.FindAccount("chemistry")), std::pair(2, 2));
  EXPECT_EQ(rank(tree.FindUser("physics", "bob", "")), std::pair(1, 2));
  EXPECT_EQ(rank(tree.FindUser("physics", "ann", "")), std::pair(2, 2));
  EXPECT_EQ(rank(0).first, 0);
}

TEST_F(ExplanationTest, EqualSiblingsShareTheBetterPlace) {
  site_.usage = {{"physics/ann", 100}, {"physics/bob", 100}};
  snapshot_ = site_.Build();
  const priority::AssociationTree& tree = snapshot_->tree();
  EXPECT_EQ(RankAmongSiblings(*snapshot_, tree.FindUser("physics", "ann", "")).rank, 1);
  EXPECT_EQ(RankAmongSiblings(*snapshot_, tree.FindUser("physics", "bob", "")).rank, 1);
  site_.usage.clear();
  snapshot_ = site_.Build();
  EXPECT_EQ(RankAmongSiblings(*snapshot_, snapshot_->tree().FindAccount("chemistry")).rank, 1);
}

TEST_F(ExplanationTest, ParentAccountsHaveNoPlaceAndTheirChildrenStandHigher) {
  site_.association("physics").raw_shares.reset();
  snapshot_ = site_.Build();
  const priority::AssociationTree& tree = snapshot_->tree();
  EXPECT_EQ(RankAmongSiblings(*snapshot_, tree.FindAccount("physics")).rank, 0);
  EXPECT_EQ(RankAmongSiblings(*snapshot_, tree.FindAccount("chemistry")).count, 3);
}

TEST_F(ExplanationTest, SiblingsRankByFElsewhere) {
  policy_.algorithm = priority::FairShareAlgorithm::kClassic;
  snapshot_ = site_.Build();
  EXPECT_EQ(RankAmongSiblings(*snapshot_, snapshot_->tree().FindAccount("chemistry")).rank, 2);
}

}  // namespace
}  // namespace priorityd::explanation
