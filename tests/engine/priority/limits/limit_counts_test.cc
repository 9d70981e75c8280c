#include "engine/priority/limits/limit_counts.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "tests/engine/priority/association_row.h"

namespace priorityd::priority {
namespace {

// Account `a` may run 2 jobs and 8 CPUs.
class LimitCountsTest : public testing::Test {
 protected:
  LimitCountsTest() {
    std::vector<Association> rows = {AssociationRow(1, 0, "root"), AssociationRow(2, 1, "a"),
                                     AssociationRow(3, 2, "a", "u")};
    rows[1].limits.others = {{LimitKind::kGrpJobs, "", 2}, {LimitKind::kGrpTres, "cpu", 8}};
    tree_.emplace(AssociationTree::Build(rows).value());
    limits_ = Limits(*tree_, {}, {}, {});
    job_.association = tree_->FindUser("a", "u", "");
    job_.jobs = 1;
    job_.running = true;
    job_.seconds = 60;
    job_.tres = cpus_;
    account_ = tree_->FindAccount("a");
  }

  const double cpus_[1] = {4};
  std::optional<AssociationTree> tree_;
  Limits limits_;
  CountedJob job_;
  AssociationIndex account_;
};

TEST_F(LimitCountsTest, AccountsHaveTheJobsBelowThem) {
  LimitCounts counts(limits_);
  counts.Count(limits_, job_, true);
  counts.Count(limits_, job_, true);
  EXPECT_EQ(counts.jobs(account_), 2);
  EXPECT_EQ(counts.submitted(account_), 2);
  EXPECT_EQ(counts.tres(account_, 0), 8);
  EXPECT_EQ(counts.seconds(account_, 0), 480);
  EXPECT_EQ(counts.seconds(account_, Limit::kNoTres), 120);
}

TEST_F(LimitCountsTest, APendingJobIsSubmittedAlone) {
  LimitCounts counts(limits_);
  job_.running = false;
  counts.Count(limits_, job_, true);
  EXPECT_EQ(counts.submitted(account_), 1);
  EXPECT_EQ(counts.jobs(account_), 0);
  EXPECT_EQ(counts.tres(account_, 0), 0);
}

TEST_F(LimitCountsTest, ACopyChangesByItself) {
  LimitCounts counts(limits_);
  counts.Count(limits_, job_, true);
  LimitCounts copy(counts);
  copy.Count(limits_, job_, false);
  EXPECT_EQ(counts.jobs(account_), 1);
  EXPECT_EQ(copy.jobs(account_), 0);
}

TEST_F(LimitCountsTest, WithoutLimitsNothingIsCounted) {
  const Limits none;
  LimitCounts counts(none);
  counts.Count(none, job_, true);
  EXPECT_EQ(counts.Running(none, Limit(), 0), 0);
}

}  // namespace
}  // namespace priorityd::priority
