// The worked example of SLURM 2.0's document ("Fair-share", "Example"), to the
// digits it prints.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "engine/priority/fair_share/fair_share.h"

namespace priorityd::priority {
namespace {

constexpr double kPrinted = 5e-5;        // Half of the last digit of .1458 and .6021.
constexpr double kAnyCapacity = 200000;  // Any machine will do.

class LinearExampleTest : public testing::Test {
 protected:
  LinearExampleTest() {
    Add("root", "", "", 1);
    Add("A", "", "root", 40);
    Add("D", "", "root", 60);
    Add("B", "", "A", 30);
    Add("C", "", "A", 10);
    Add("E", "", "D", 25);
    Add("F", "", "D", 35);
    Add("B", "user1", "B", 1, 0.2);
    Add("C", "user2", "C", 1, 0.25);
    Add("C", "user3", "C", 1);
    Add("E", "user4", "E", 1, 0.25);
    Add("F", "user5", "F", 1);
    tree_ = *AssociationTree::Build(associations_);
    std::vector<double> own_usage(tree_->size());
    for (const auto& [id, usage] : usage_) own_usage[tree_->FindId(id)] = usage * kAnyCapacity;
    Policy policy;
    policy.algorithm = FairShareAlgorithm::kLinear;
    result_ = ComputeFairShare(*tree_, policy, own_usage, kAnyCapacity);
  }

  void Add(const std::string& account, const std::string& user, const std::string& parent,
           uint32_t shares, double usage = 0) {
    Association a;
    a.id = static_cast<int64_t>(associations_.size()) + 1;
    for (const Association& other : associations_) {
      if (other.user.empty() && other.account == parent) a.parent_id = other.id;
    }
    a.account = account;
    a.user = user;
    a.raw_shares = shares;
    associations_.push_back(a);
    usage_[a.id] = usage;
  }

  double Account(const std::vector<double>& column, const std::string& account) const {
    return column[tree_->FindAccount(account)];
  }
  double User(absl::Span<const double> column, const std::string& account,
              const std::string& user) const {
    return column[tree_->FindUser(account, user, "")];
  }

  std::vector<Association> associations_;
  std::map<int64_t, double> usage_;
  std::optional<AssociationTree> tree_;
  FairShare result_;
};

TEST_F(LinearExampleTest, NormalizedShares) {
  const auto shares = tree_->path_norm_shares();
  EXPECT_NEAR(User(shares, "B", "user1"), 0.3, 1e-12);
  EXPECT_NEAR(User(shares, "C", "user2"), 0.05, 1e-12);
  EXPECT_NEAR(User(shares, "C", "user3"), 0.05, 1e-12);
  EXPECT_NEAR(User(shares, "E", "user4"), 0.25, 1e-12);
  EXPECT_NEAR(User(shares, "F", "user5"), 0.35, 1e-12);
}

TEST_F(LinearExampleTest, EffectiveUsageOfTheAccounts) {
  EXPECT_NEAR(Account(result_.effective_usage, "A"), 0.45, 1e-12);
  EXPECT_NEAR(Account(result_.effective_usage, "D"), 0.25, 1e-12);
  EXPECT_NEAR(Account(result_.effective_usage, "B"), 0.3875, 1e-12);
  EXPECT_NEAR(Account(result_.effective_usage, "C"), 0.3, 1e-12);
  EXPECT_NEAR(Account(result_.effective_usage, "E"), 0.25, 1e-12);
  EXPECT_NEAR(Account(result_.effective_usage, "F"), 0.1458, kPrinted);
}

TEST_F(LinearExampleTest, EffectiveUsageOfTheUsers) {
  EXPECT_NEAR(User(result_.effective_usage, "B", "user1"), 0.3875, 1e-12);
  EXPECT_NEAR(User(result_.effective_usage, "C", "user2"), 0.275, 1e-12);
  EXPECT_NEAR(User(result_.effective_usage, "C", "user3"), 0.15, 1e-12);
  EXPECT_NEAR(User(result_.effective_usage, "E", "user4"), 0.25, 1e-12);
  EXPECT_NEAR(User(result_.effective_usage, "F", "user5"), 0.1458, kPrinted);
}

TEST_F(LinearExampleTest, FairShareOfTheUsers) {
  EXPECT_NEAR(User(result_.fair_share, "B", "user1"), 0.45625, 1e-12);
  EXPECT_NEAR(User(result_.fair_share, "C", "user2"), 0.3875, 1e-12);
  EXPECT_NEAR(User(result_.fair_share, "C", "user3"), 0.45, 1e-12);
  EXPECT_NEAR(User(result_.fair_share, "E", "user4"), 0.5, 1e-12);
  EXPECT_NEAR(User(result_.fair_share, "F", "user5"), 0.6021, kPrinted);
}

TEST_F(LinearExampleTest, FourSharesOfFiveInAnAccountOfATenthAreEightHundredths) {
  associations_[8].raw_shares = 4;  // User 2.
  const AssociationTree tree = *AssociationTree::Build(associations_);
  EXPECT_NEAR(User(tree.path_norm_shares(), "C", "user2"), 0.08, 1e-12);
}

TEST_F(LinearExampleTest, WithoutCapacityNothingCountsAsUsed) {
  Policy policy;
  policy.algorithm = FairShareAlgorithm::kLinear;
  const std::vector<double> used(tree_->size(), 100);
  for (const double usage : ComputeFairShare(*tree_, policy, used, 0).norm_usage) {
    EXPECT_EQ(usage, 0);
  }
}

TEST_F(LinearExampleTest, UsageBeyondTheCapacityCountsAsAllOfIt) {
  Policy policy;
  policy.algorithm = FairShareAlgorithm::kLinear;
  const std::vector<double> used(tree_->size(), 100);
  for (const double usage : ComputeFairShare(*tree_, policy, used, 1).norm_usage) {
    EXPECT_EQ(usage, 1);
  }
}

}  // namespace
}  // namespace priorityd::priority
