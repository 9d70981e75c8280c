#include "server/domains/member_record.h"

#include <gtest/gtest.h>

namespace priorityd::domains {
namespace {

class ChargeTest : public testing::Test {
 protected:
  ChargeTest() {
    record_.submitted.tres = {{1, 4}, {9, 2}};
    record_.billing_rate = 10;
    record_.usage_factor = 0.5;
  }
  double Charge(std::vector<storage::NamedAmount> prices) {
    storage::DomainMember member;
    member.prices = std::move(prices);
    return ChargeOf(member, record_, {{"cpu", 1}, {"mem", 2}, {"gres/gpu", 9}});
  }

  storage::UsageRecord record_;
};

TEST_F(ChargeTest, WithoutPricesItIsTheMembersOwn) { EXPECT_EQ(Charge({}), 5); }

TEST_F(ChargeTest, PricesOfSeveralTresAddUp) {
  EXPECT_EQ(Charge({{"cpu", 1}, {"gres/gpu", 10}}), 0.5 * (4 + 20));
  EXPECT_EQ(Charge({{"billing", 3}, {"cpu", 1}}), 0.5 * (30 + 4));
}

TEST_F(ChargeTest, ATresThatTheRecordLacksCostsNothing) {
  EXPECT_EQ(Charge({{"mem", 7}, {"license/x", 7}}), 0);
}

TEST(SourceInDomainTest, AnotherClusterOfTheSameNameHasAnotherSource) {
  storage::DomainMember member;
  member.cluster = "alpha";
  member.cluster_id = 3;
  EXPECT_EQ(SourceInDomain(member, "slurm"), "alpha#3/slurm");
  member.cluster_id = 4;
  EXPECT_EQ(SourceInDomain(member, "slurm"), "alpha#4/slurm");
}

}  // namespace
}  // namespace priorityd::domains
