#include "engine/priority/snapshot/domain_shares.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/engine/priority/association_row.h"

namespace priorityd::priority {
namespace {

// root: a: ann, ann in the partition p; b.
class DomainSharesTest : public testing::Test {
 protected:
  static DomainShares SharesOf(const AssociationTree& tree, const std::vector<double>& fair_share) {
    return {"d", 1, DomainNamesOf(tree), DomainSharesOf(tree, fair_share)};
  }

  const AssociationTree tree_ =
      AssociationTree::Build({AssociationRow(1, 0, "root"), AssociationRow(2, 1, "a"),
                              AssociationRow(3, 1, "b"), AssociationRow(4, 2, "a", "ann"),
                              AssociationRow(5, 2, "a", "ann", "p")})
          .value();
};

TEST_F(DomainSharesTest, EachAssociationHasTheDomainsWhateverItsPartition) {
  using Names = std::vector<std::string>;
  const auto names =
      std::make_shared<const DomainNames>(Names{"a", "a", "c"}, Names{"", "ann", ""});
  const DomainShares shares("d", 7, names, {0.25, 0.5, 0.75});
  EXPECT_EQ(shares.Find("a", ""), 0.25);
  EXPECT_EQ(shares.Find("a", "bob"), std::nullopt);
  std::vector<double> fair_share(tree_.size(), 1);
  shares.Apply(tree_, &fair_share);
  const auto of = [&](AssociationIndex i) { return fair_share[i]; };
  EXPECT_EQ(of(tree_.FindAccount("a")), 0.25);
  EXPECT_EQ(of(tree_.FindUser("a", "ann", "")), 0.5);
  EXPECT_EQ(of(tree_.FindUser("a", "ann", "p")), 0.5);
  // The domain lacks it.
  EXPECT_EQ(of(tree_.FindAccount("b")), 0);
}

TEST_F(DomainSharesTest, ADomainGivesThoseWithoutAPartition) {
  const std::vector<double> fair_share = {0.1, 0.2, 0.3, 0.4, 0.5};
  const DomainShares shares = SharesOf(tree_, fair_share);
  EXPECT_EQ(shares.names()->size(), 4);
  EXPECT_EQ(shares.fair_shares().size(), 4);
  EXPECT_EQ(shares.Find("a", "ann"), fair_share[tree_.FindUser("a", "ann", "")]);
  EXPECT_EQ(shares.Find("root", ""), fair_share[0]);
}

// The place that is looked at first is a guess.
TEST_F(DomainSharesTest, AMembersTreeMayHaveAnyOrder) {
  std::vector<Association> rows = {AssociationRow(1, 0, "root")};
  std::vector<std::string> accounts, users;
  for (int64_t account = 2; account < 40; ++account) {
    const std::string name = absl::StrCat("a", account * 17 % 41);
    rows.push_back(AssociationRow(account, 1, name.c_str()));
    rows.push_back(AssociationRow(100 + account, account, name.c_str(), "ann"));
    if (account % 3 == 0) continue;
    accounts.insert(accounts.begin() + account % 2, {name, name});
    users.insert(users.begin() + account % 2, {"ann", ""});
  }
  std::map<std::pair<std::string, std::string>, double> want;
  std::vector<double> fair_shares;
  for (size_t i = 0; i < accounts.size(); ++i) {
    fair_shares.push_back(1.0 / (i + 2));
    want[{accounts[i], users[i]}] = fair_shares[i];
  }
  const AssociationTree tree = AssociationTree::Build(rows).value();
  std::vector<double> got(tree.size(), 1);
  DomainShares("d", 1, std::make_shared<const DomainNames>(accounts, users), fair_shares)
      .Apply(tree, &got);
  for (AssociationIndex i = 0; i < tree.size(); ++i) {
    EXPECT_EQ(got[i], (want[{std::string(tree.account(i)), std::string(tree.user(i))}])) << i;
  }
}

// In a member each of them may have associations.
TEST_F(DomainSharesTest, AMergedUserHasTheSharesOfTheOther) {
  const AssociationTree merged =
      AssociationTree::Build(
          {AssociationRow(1, 0, "root"), AssociationRow(2, 1, "a"), AssociationRow(3, 1, "b"),
           AssociationRow(4, 2, "a", "ann"), AssociationRow(5, 2, "a", "old"),
           AssociationRow(6, 2, "a", "old", "p"), AssociationRow(7, 3, "b", "old")})
          ->WithMergedUsers({{"old", "ann"}});
  const std::vector<double> fair_share = {0.1, 0.2, 0.3, 0.4};
  const DomainShares shares = SharesOf(merged, fair_share);
  EXPECT_EQ(shares.names()->size(), 5);
  EXPECT_EQ(shares.Find("a", "old"), 0.4);
  EXPECT_EQ(shares.Find("a", "ann"), 0.4);
  EXPECT_EQ(shares.Find("b", "old"), std::nullopt) << "ann has no association there";
}

// In a, ann has both, and old's association in p has the lower id; in b, ann has p alone.
TEST_F(DomainSharesTest, AMergedUserHasNoSharesOfAPartition) {
  const AssociationTree merged =
      AssociationTree::Build(
          {AssociationRow(1, 0, "root"), AssociationRow(2, 1, "a"), AssociationRow(3, 1, "b"),
           AssociationRow(4, 2, "a", "old", "p"), AssociationRow(5, 2, "a", "old"),
           AssociationRow(6, 2, "a", "ann", "p"), AssociationRow(7, 2, "a", "ann"),
           AssociationRow(8, 3, "b", "ann", "p"), AssociationRow(9, 3, "b", "old", "p")})
          ->WithMergedUsers({{"old", "ann"}});
  std::vector<double> fair_share(merged.size());
  for (AssociationIndex i = 0; i < merged.size(); ++i) fair_share[i] = merged.id()[i] / 16.0;
  const DomainShares shares = SharesOf(merged, fair_share);
  EXPECT_EQ(shares.Find("a", "old"), 7 / 16.0);
  EXPECT_EQ(shares.Find("a", "ann"), 7 / 16.0);
  EXPECT_EQ(shares.Find("b", "old"), std::nullopt) << "as ann";
  EXPECT_EQ(shares.Find("b", "ann"), std::nullopt);
}

}  // namespace
}  // namespace priorityd::priority
