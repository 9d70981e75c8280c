#include "engine/priority/snapshot/penalties.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/engine/priority/association_row.h"

namespace priorityd::priority {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// root: a: b: ann; c: bob.
class PenaltiesTest : public testing::Test {
 protected:
  GrantStanding& Add(const char* account, GrantConsequence consequence, double most = 0) {
    GrantStanding& grant = grants_.emplace_back();
    grant.accounts = {account};
    grant.available = grant.used = 60;
    grant.consequence = consequence;
    grant.measure.most = most;
    return grant;
  }
  void Reduce(const char* account, ReducedFactor factor, double part) {
    Add(account, GrantConsequence::kReduce, part).measure.factor = factor;
  }
  Penalty OfAnn() const { return Of("b", "ann"); }
  Penalty Of(const char* account, const char* user) const {
    const Penalties penalties(tree_, grants_);
    const Penalty* penalty = penalties.Of(tree_.FindUser(account, user, ""));
    return penalty == nullptr ? Penalty() : *penalty;
  }

  const AssociationTree tree_ =
      AssociationTree::Build({AssociationRow(1, 0, "root"), AssociationRow(2, 1, "a"),
                              AssociationRow(3, 2, "b"), AssociationRow(4, 1, "c"),
                              AssociationRow(5, 3, "b", "ann"), AssociationRow(6, 4, "c", "bob")})
          .value();
  GrantStandings grants_;
};

TEST_F(PenaltiesTest, WithoutAUsedUpGrantThereAreNone) {
  Reduce("a", ReducedFactor::kAge, 0.5);
  EXPECT_TRUE(Penalties(tree_, grants_).lower());
  grants_.Change(0).used = 59;
  EXPECT_FALSE(Penalties(tree_, grants_).lower());
  EXPECT_EQ(Penalties(tree_, grants_).Of(5), nullptr);
  EXPECT_EQ(Penalties().Of(5), nullptr);
}

TEST_F(PenaltiesTest, OfSeveralOnAPathTheSmallestPartAndTheLowestBandCount) {
  Reduce("root", ReducedFactor::kAge, 0.5);
  Reduce("b", ReducedFactor::kAge, 0.25);
  Reduce("a", ReducedFactor::kAll, 0.4);
  Add("root", GrantConsequence::kBand, 100);
  Add("b", GrantConsequence::kBand, 200);
  EXPECT_EQ(OfAnn().Of(ReducedFactor::kAge).part, 0.25);
  EXPECT_EQ(OfAnn().Of(ReducedFactor::kAge).grant, 1);
  EXPECT_EQ(OfAnn().Of(ReducedFactor::kSite).part, 0.4);
  EXPECT_EQ(OfAnn().band, 100);
  EXPECT_EQ(OfAnn().band_grant, 3);
  EXPECT_EQ(Of("c", "bob").Of(ReducedFactor::kAge).part, 0.5);
  EXPECT_EQ(Of("c", "bob").Of(ReducedFactor::kSite).grant, -1);
}

// A negative weight of a TRES takes points away; a part of those would be a promotion.
TEST_F(PenaltiesTest, ALossOfPointsIsNotReduced) {
  const Penalty::Part half = {0.5, 0};
  EXPECT_EQ(half.Of(10), 5);
  EXPECT_EQ(half.Of(-10), -10);
}

TEST_F(PenaltiesTest, ThoseThatLowerNothingAreKnown) {
  Add("b", GrantConsequence::kRefuse);
  Add("root", GrantConsequence::kRefuse);
  Add("root", GrantConsequence::kWarn);
  Add("a", GrantConsequence::kCap, 8);
  EXPECT_FALSE(Penalties(tree_, grants_).lower());
  EXPECT_THAT(OfAnn().refusing, ElementsAre(1, 0));
  EXPECT_THAT(OfAnn().warning, ElementsAre(2));
  EXPECT_THAT(OfAnn().capping, ElementsAre(3));
  EXPECT_THAT(Of("c", "bob").capping, IsEmpty());
}

TEST_F(PenaltiesTest, AUsersGrantHoldsForTheUserAlone) {
  Add("b", GrantConsequence::kBand, 5).user = "ann";
  EXPECT_EQ(OfAnn().band_grant, 0);
  EXPECT_EQ(Penalties(tree_, grants_).Of(tree_.FindAccount("b")), nullptr);
}

}  // namespace
}  // namespace priorityd::priority
