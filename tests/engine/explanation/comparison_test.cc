#include "engine/explanation/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "tests/engine/explanation/golden.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::explanation {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class ComparisonTest : public testing::Test {
 protected:
  // physics is due 60 % and has used 63 %, chemistry 40 % and 37 %; within physics ann
  // has used two thirds.
  ComparisonTest() {
    site_.usage = {{"physics/ann", 420}, {"physics/bob", 210}, {"chemistry/cat", 370}};
    policy_.weight_age = 1000;
    policy_.max_age = absl::Hours(4);
    policy_.weight_fair_share = 300;
    jobs_ = {priority::JobOf("1"), priority::JobOf("2")};
    options_.as_of = priority::kNow;
    options_.job.job_id = "1";
    options_.compare_to.job_id = "2";
  }

  priority::Job& one() { return jobs_[0]; }
  priority::Job& two() { return jobs_[1]; }

  absl::StatusOr<Comparison> TryCompare() {
    snapshot_ = site_.Build();
    return priorityd::explanation::Compare(*snapshot_, jobs_, options_);
  }
  Comparison Compare() { return TryCompare().value(); }
  std::vector<std::string> Sentences() { return Compare().sentences; }
  OrderChange Change(OrderChangeKind kind) {
    const Comparison compared = Compare();
    for (const OrderChange& change : compared.changes) {
      if (change.kind == kind) return change;
    }
    ADD_FAILURE() << "no such change";
    return {};
  }
  std::string Name(priority::AssociationIndex i) {
    const priority::AssociationTree& tree = snapshot_->tree();
    return std::string(tree.is_user(i) ? tree.user(i) : tree.account(i));
  }

  priority::SmallSite site_;
  priority::Policy& policy_ = site_.source.policy;
  std::vector<priority::Job> jobs_;
  CompareOptions options_;
  std::unique_ptr<const priority::Snapshot> snapshot_;
};

// --- The rule that decides ---------------------------------------------------------------

TEST_F(ComparisonTest, TheFirstDifferenceDecides) {
  EXPECT_EQ(Compare().rule, priority::OrderRule::kJobId);
  EXPECT_EQ(Compare().first, 0);
  two().submit_time = priority::kNow - absl::Hours(2);
  two().accrue_time = one().submit_time;
  EXPECT_EQ(Compare().rule, priority::OrderRule::kSubmitTime);
  EXPECT_EQ(Compare().first, 1);
  one().site_factor = 5;
  EXPECT_EQ(Compare().rule, priority::OrderRule::kPriority);
  EXPECT_EQ(Compare().first, 0);
  site_.partition("fast").priority_tier = 2;
  two().partitions = {"fast"};
  EXPECT_EQ(Compare().rule, priority::OrderRule::kPriorityTier);
  EXPECT_EQ(Compare().first, 1);
  one().reservation = "r";
  EXPECT_EQ(Compare().rule, priority::OrderRule::kReservation);
  EXPECT_EQ(Compare().first, 0);
  two().preemptor = true;
  EXPECT_EQ(Compare().rule, priority::OrderRule::kPreemptor);
  EXPECT_EQ(Compare().first, 1);
}

TEST_F(ComparisonTest, TheVerdictNamesTheFiguresOfItsRule) {
  EXPECT_EQ(Sentences().at(0), Golden("comparison", "job-id"));
  two().site_factor = 5;
  EXPECT_EQ(Sentences().at(0), Golden("comparison", "priority"));
  EXPECT_EQ(Compare().rows[0].row.priority, 350u);
  EXPECT_EQ(Compare().rows[1].row.priority, 355u);
  site_.partition("main").priority_tier = 2;
  two().partitions = {"fast"};
  EXPECT_EQ(Sentences().at(0), Golden("comparison", "tier"));
}

TEST_F(ComparisonTest, UnderBasicSubmissionDecides) {
  policy_.priority_type = priority::PriorityType::kBasic;
  two().submit_time = priority::kNow - absl::Hours(2);
  EXPECT_EQ(Compare().rule, priority::OrderRule::kSubmitTime);
  EXPECT_THAT(Sentences(), ElementsAre(Golden("comparison", "submit-time")));
  EXPECT_THAT(Compare().changes, Each(Field(&OrderChange::possible, false)));
}

TEST_F(ComparisonTest, OneThatCannotStartSaysWhyAndHasNoRule) {
  one().hold = priority::Hold::kUser;
  const Comparison compared = Compare();
  EXPECT_EQ(compared.rule, priority::OrderRule::kNone);
  EXPECT_EQ(compared.first, 1);
  EXPECT_EQ(compared.rows[0].ineligible_reason, "JobHeldUser");
  EXPECT_THAT(compared.changes, IsEmpty());
  EXPECT_THAT(compared.sentences.at(0), HasSubstr("Job 1 cannot start now (JobHeldUser): "));
  EXPECT_EQ(compared.sentences.at(1), Golden("comparison", "comes-first"));
}

TEST_F(ComparisonTest, NeitherNeedHaveAPlace) {
  one().account = "no";
  two().state = priority::JobState::kRunning;
  const Comparison compared = Compare();
  EXPECT_EQ(compared.first, -1);
  EXPECT_FALSE(compared.branches.has_value());
  EXPECT_THAT(compared.sentences.at(0), HasSubstr("(InvalidAccount)"));
  EXPECT_EQ(compared.sentences.at(1), Golden("comparison", "started"));
  EXPECT_EQ(compared.sentences.at(2), Golden("comparison", "neither"));
}

TEST_F(ComparisonTest, BestRowsAreComparedUnlessOthersArePicked) {
  site_.partition("fast").priority_tier = 2;
  two().partitions = {"main", "fast"};
  EXPECT_EQ(Compare().rule, priority::OrderRule::kPriorityTier);
  options_.compare_to.partition = "main";
  EXPECT_EQ(Compare().rule, priority::OrderRule::kJobId);
  options_.compare_to.partition = "nowhere";
  EXPECT_EQ(TryCompare().status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ComparisonTest, AJobIsNotComparedToItselfOrToNone) {
  options_.compare_to.job_id = "1";
  EXPECT_EQ(TryCompare().status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(TryCompare().status().message(), HasSubstr("compare_to.job_id"));
  options_.compare_to.job_id = "3";
  EXPECT_EQ(TryCompare().status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(TryCompare().status().message(), HasSubstr("compare_to.job_id"));
}

// --- Side by side ------------------------------------------------------------------------

TEST_F(ComparisonTest, FactorsStandSideBySide) {
  policy_.weight_tres = {{"cpu", 640}};
  one().cpus = 32;
  two().submit_time = priority::kNow - absl::Hours(2);
  const Comparison compared = Compare();
  ASSERT_EQ(compared.rows[0].factors.size(), compared.rows[1].factors.size());
  for (size_t i = 0; i < compared.rows[0].factors.size(); ++i) {
    EXPECT_EQ(compared.rows[0].factors[i].name, compared.rows[1].factors[i].name);
  }
  EXPECT_THAT(compared.sentences, Contains(Golden("comparison", "gain-by-tres")));
  EXPECT_THAT(compared.sentences, Contains(Golden("comparison", "gain-by-age")));
}

TEST_F(ComparisonTest, BranchesStandBelowTheNearestCommonAncestor) {
  two().user = "cat";
  two().account = "chemistry";
  Comparison compared = Compare();
  EXPECT_EQ(compared.branches->ancestor, 0);
  EXPECT_EQ(Name(compared.branches->branch[0].association), "physics");
  EXPECT_EQ(Name(compared.branches->branch[1].association), "chemistry");
  EXPECT_DOUBLE_EQ(compared.branches->branch[0].usage, 0.63);
  EXPECT_DOUBLE_EQ(compared.branches->branch[0].shares, 0.6);
  EXPECT_THAT(compared.sentences, Contains(Golden("comparison", "branches")));
  two().user = "bob";
  two().account = "physics";
  compared = Compare();
  EXPECT_EQ(Name(compared.branches->ancestor), "physics");
  EXPECT_THAT(compared.sentences, Contains(HasSubstr("physics/ann has used 66.7% of physics's")));
}

TEST_F(ComparisonTest, UsersOfAParentAccountCompeteOneLevelUp) {
  site_.association("physics").raw_shares.reset();
  two().user = "cat";
  two().account = "chemistry";
  const Comparison compared = Compare();
  EXPECT_EQ(compared.branches->ancestor, 0);
  EXPECT_EQ(Name(compared.branches->branch[0].association), "ann");
  EXPECT_EQ(Name(compared.branches->branch[1].association), "chemistry");
}

TEST_F(ComparisonTest, WithoutFairTreeBranchesAreDescribedByF) {
  policy_.algorithm = priority::FairShareAlgorithm::kClassic;
  two().user = "cat";
  two().account = "chemistry";
  EXPECT_THAT(Sentences(), Contains(HasSubstr("is due 60.0%, F 0.48; chemistry")));
}

TEST_F(ComparisonTest, OneAssociationHasNoBranches) {
  const Comparison compared = Compare();
  EXPECT_FALSE(compared.branches.has_value());
  EXPECT_THAT(compared.sentences, Contains(Golden("comparison", "one-association")));
  EXPECT_EQ(Change(OrderChangeKind::kUsage).sentence,
            Golden("changes", "usage-of-one-association"));
}

// --- What would have to change -------------------------------------------------------------

TEST_F(ComparisonTest, WaitingTakesAFirstJobThatAgesNoMore) {
  // 1000 points in 4 hours; 1 has waited for 2 of them, 2 for 3 and has 80 points
  // more: all of which 1 makes up for in 20 minutes once 2 is full, in an hour.
  one().submit_time = priority::kNow - absl::Hours(2);
  one().site_factor = 170;
  two().submit_time = priority::kNow - absl::Hours(3);
  EXPECT_EQ(Compare().first, 1);
  const OrderChange change = Change(OrderChangeKind::kWaiting);
  ASSERT_TRUE(change.possible);
  // 80 points are 19.2 minutes; 2 was submitted first, so it takes one more: 14.4 s.
  EXPECT_EQ(change.duration, absl::Minutes(79.2) + absl::Seconds(14.4));
  EXPECT_EQ(change.sentence, Golden("changes", "waiting"));
}

TEST_F(ComparisonTest, WaitingDoesNotHelpAgainstAJobOfEqualAge) {
  two().site_factor = 1;
  EXPECT_EQ(Change(OrderChangeKind::kWaiting).sentence, Golden("changes", "waiting-alike"));
  policy_.weight_age = 0;
  EXPECT_EQ(Change(OrderChangeKind::kWaiting).sentence,
            Golden("changes", "waiting-without-weight"));
}

TEST_F(ComparisonTest, WaitingTakesAFirstJobThatDoesNotAccrue) {
  site_.association("physics", "bob").limits.max_jobs_accrue = 0;
  policy_.weight_fair_share = 0;
  two().user = "bob";
  two().site_factor = 500;
  // 250 points now; 500 take another hour, one more 14.4 s? No: 1 has the lower id.
  EXPECT_EQ(Change(OrderChangeKind::kWaiting).duration, absl::Hours(1));
}

TEST_F(ComparisonTest, TheCutToIntegersTurnsNothingPermanently) {
  // 2 is half a point ahead, which the cut hides but for when it passes an integer
  // and 1 has not yet.
  policy_.weight_tres = {{"cpu", 64}};
  two().cpus = 0.5;
  EXPECT_EQ(Compare().first, 0);
  EXPECT_FALSE(Change(OrderChangeKind::kWaiting).possible);
}

TEST_F(ComparisonTest, SharesAreGivenToTheBranchOfTheLaterJob) {
  two().user = "cat";
  two().account = "chemistry";
  EXPECT_EQ(Compare().first, 1);
  const OrderChange change = Change(OrderChangeKind::kRawShares);
  // x / 40 must be above 63 / 37: 68.1.
  EXPECT_EQ(change.from, 60);
  EXPECT_EQ(change.to, 69);
  EXPECT_EQ(change.sentence, Golden("changes", "shares"));
}

TEST_F(ComparisonTest, ParentSharesAreNotRaised) {
  site_.association("physics", "ann").raw_shares.reset();
  two().user = "bob";
  two().site_factor = 1000;
  EXPECT_EQ(Change(OrderChangeKind::kRawShares).sentence, Golden("changes", "shares-of-parent"));
}

TEST_F(ComparisonTest, UsageFallsByDecay) {
  two().user = "cat";
  two().account = "chemistry";
  const OrderChange change = Change(OrderChangeKind::kUsage);
  // 630 must fall to 370 * 60 / 40 = 555.
  EXPECT_NEAR(change.to, 555, 1e-5);
  EXPECT_EQ(Name(change.association), "physics");
  // log2(630 / 555) half-lives of a week: 110598.4 s.
  EXPECT_EQ(change.duration,
            absl::Ceil(absl::Hours(7 * 24) * std::log2(630.0 / 555), absl::Seconds(1)));
  EXPECT_THAT(change.sentence, HasSubstr("has fallen by 11.90%, from 630 to 554 billing-seconds"));
  policy_.half_life = absl::InfiniteDuration();
  EXPECT_FALSE(Change(OrderChangeKind::kUsage).duration.has_value());
  EXPECT_THAT(Change(OrderChangeKind::kUsage).sentence, HasSubstr("usage does not decay here"));
}

TEST_F(ComparisonTest, NiceIsExact) {
  two().site_factor = 40;
  EXPECT_EQ(Change(OrderChangeKind::kLowerNice).to, -40);
  EXPECT_EQ(Change(OrderChangeKind::kRaiseNice).to, 40);
  one().submit_time = priority::kNow - absl::Minutes(30);
  one().accrue_time = two().submit_time;  // Equal priority is not enough now.
  EXPECT_EQ(Change(OrderChangeKind::kLowerNice).to, -41);
  EXPECT_EQ(Change(OrderChangeKind::kRaiseNice).sentence, Golden("changes", "raise-nice"));
  EXPECT_EQ(Change(OrderChangeKind::kLowerNice).sentence, Golden("changes", "lower-nice"));
}

TEST_F(ComparisonTest, NothingCanChangeWhatIsComparedBeforePriority) {
  two().reservation = "r";
  const Comparison compared = Compare();
  EXPECT_THAT(compared.changes, Each(Field(&OrderChange::possible, false)));
  EXPECT_EQ(compared.changes.size(), 5u);
  EXPECT_THAT(compared.sentences, Contains(HasSubstr("neither waiting, usage, shares nor nice")));
  EXPECT_THAT(compared.sentences, Not(Contains(HasSubstr("points"))));
  EXPECT_EQ(compared.changes.back().sentence, Golden("changes", "raise-nice-after-rule"));
  EXPECT_EQ(compared.changes[3].sentence, Golden("changes", "lower-nice-after-rule"));
}

TEST_F(ComparisonTest, WhatAnAdministratorSetIsSaid) {
  one().admin_priority = 7;
  EXPECT_THAT(Sentences(), Contains(Golden("comparison", "administrator")));
  EXPECT_EQ(Change(OrderChangeKind::kLowerNice).sentence,
            Golden("changes", "nice-under-administrator"));
  EXPECT_TRUE(Change(OrderChangeKind::kRaiseNice).possible);
}

}  // namespace
}  // namespace priorityd::explanation
