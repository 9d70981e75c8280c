#include "engine/priority/limits/grant_owners.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/engine/priority/association_row.h"

namespace priorityd::priority {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// root: a: b: ann, ann in `fast`, bob; a: cat; c: ann
class GrantOwnersTest : public testing::Test {
 protected:
  // `account/user/partition` of each owner.
  std::vector<std::string> Owners(std::vector<std::string> accounts, std::string user = "") {
    GrantStanding grant;
    grant.accounts = std::move(accounts);
    grant.user = std::move(user);
    std::vector<std::string> names;
    for (const AssociationIndex i : owners_.Of(grant)) {
      names.push_back(absl::StrCat(tree_.account(i), "/", tree_.user(i), "/", tree_.partition(i)));
    }
    return names;
  }

  const AssociationTree tree_ =
      AssociationTree::Build(
          {AssociationRow(1, 0, "root"), AssociationRow(2, 1, "a"), AssociationRow(3, 2, "b"),
           AssociationRow(4, 1, "c"), AssociationRow(5, 3, "b", "ann"),
           AssociationRow(6, 3, "b", "ann", "fast"), AssociationRow(7, 3, "b", "bob"),
           AssociationRow(8, 2, "a", "cat"), AssociationRow(9, 4, "c", "ann")})
          .value();
  GrantOwners owners_{tree_};
};

TEST_F(GrantOwnersTest, AnAccountIncludesTheAccountsBelowIt) {
  EXPECT_THAT(Owners({"c", "b"}), ElementsAre("c//", "b//"));
  EXPECT_THAT(Owners({"b", "a"}), ElementsAre("a//"));
  EXPECT_THAT(Owners({"b", "b"}), ElementsAre("b//"));
  EXPECT_THAT(Owners({"b", "root", "c"}), ElementsAre("root//"));
  EXPECT_THAT(Owners({"c", "b", "a", "c"}), ElementsAre("a//", "c//"));
}

TEST_F(GrantOwnersTest, AUserHasTheAssociationsOfAllPartitionsInTheAccountsThemselves) {
  EXPECT_THAT(Owners({"b"}, "ann"), ElementsAre("b/ann/", "b/ann/fast"));
  EXPECT_THAT(Owners({"a"}, "ann"), IsEmpty());
  EXPECT_THAT(Owners({"b", "c", "b"}, "ann"), ElementsAre("c/ann/", "b/ann/", "b/ann/fast"));
}

TEST_F(GrantOwnersTest, UnknownNamesOwnNothing) {
  EXPECT_THAT(Owners({"gone"}), IsEmpty());
  EXPECT_THAT(Owners({"gone", "b"}), ElementsAre("b//"));
  EXPECT_THAT(Owners({"b"}, "zoe"), IsEmpty());
}

TEST(GrantTest, IsUsedUpFromItsAmountOnToABillionth) {
  GrantStanding grant;
  grant.available = 1e6;
  grant.used = 1e6 - 0.01;
  EXPECT_FALSE(IsUsedUp(grant));
  grant.used = 1e6 - 0.0005;
  EXPECT_TRUE(IsUsedUp(grant));
  grant.used = 2e6;
  EXPECT_TRUE(IsUsedUp(grant));
  grant = GrantStanding();
  EXPECT_TRUE(IsUsedUp(grant)) << "of nothing everything is used";
}

}  // namespace
}  // namespace priorityd::priority
