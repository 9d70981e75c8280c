#include "engine/priority/snapshot/demotions.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/engine/priority/association_row.h"

namespace priorityd::priority {
namespace {

// root: a: b: ann; c: bob. QOS low 0, middle 5, high 9.
class DemotionsTest : public testing::Test {
 protected:
  DemotionsTest() {
    for (const auto& [name, priority] : {std::pair("low", 0u), {"middle", 5u}, {"high", 9u}}) {
      qos_.emplace_back();
      qos_.back().name = name;
      qos_.back().priority = priority;
    }
  }

  void Demote(std::vector<std::string> accounts, const char* qos) {
    GrantStanding& grant = grants_.emplace_back();
    grant.accounts = std::move(accounts);
    grant.available = grant.used = 60;
    grant.consequence = GrantConsequence::kDemote;
    grant.demoted_qos = qos;
  }
  // The number of the grant that demotes the user.
  int By(const char* account, const char* user) const {
    return Demotions(tree_, qos_, grants_).GrantOf(tree_.FindUser(account, user, ""));
  }

  const AssociationTree tree_ =
      AssociationTree::Build({AssociationRow(1, 0, "root"), AssociationRow(2, 1, "a"),
                              AssociationRow(3, 2, "b"), AssociationRow(4, 1, "c"),
                              AssociationRow(5, 3, "b", "ann"), AssociationRow(6, 4, "c", "bob")})
          .value();
  std::vector<Qos> qos_;
  GrantStandings grants_;
};

TEST_F(DemotionsTest, WithoutAUsedUpGrantThereAreNone) {
  EXPECT_TRUE(Demotions().empty());
  EXPECT_TRUE(Demotions(tree_, qos_, grants_).empty());
  Demote({"a"}, "low");
  grants_.Change(0).used = 59;
  EXPECT_TRUE(Demotions(tree_, qos_, grants_).empty());
  grants_.Change(0).used = 61;
  grants_.Change(0).consequence = GrantConsequence::kBlock;
  EXPECT_TRUE(Demotions(tree_, qos_, grants_).empty());
  EXPECT_EQ(By("b", "ann"), -1);
}

TEST_F(DemotionsTest, AllBelowAnAccountAreDemotedAndNobodyElse) {
  Demote({"a"}, "middle");
  EXPECT_EQ(By("b", "ann"), 0);
  EXPECT_EQ(By("c", "bob"), -1);
  const Demotions demotions(tree_, qos_, grants_);
  EXPECT_EQ(demotions.GrantOf(0), -1) << "root";
  EXPECT_EQ(demotions.QosOf(tree_.FindUser("b", "ann", "")), 1);
}

TEST_F(DemotionsTest, TheLowestOnThePathDemotes) {
  Demote({"root"}, "middle");
  Demote({"a"}, "high");
  Demote({"b"}, "high");
  EXPECT_EQ(By("b", "ann"), 0);
  Demote({"b"}, "low");
  EXPECT_EQ(By("b", "ann"), 3);
  EXPECT_EQ(By("c", "bob"), 0);
}

TEST_F(DemotionsTest, OfEqualOnesTheNearestThenTheFirstDemotes) {
  Demote({"root"}, "low");
  Demote({"b"}, "gone");
  Demote({"b"}, "low");
  EXPECT_EQ(By("b", "ann"), 1) << "a QOS that does not exist counts as priority 0";
  EXPECT_EQ(Demotions(tree_, qos_, grants_).QosOf(tree_.FindUser("b", "ann", "")), -1);
}

}  // namespace
}  // namespace priorityd::priority
