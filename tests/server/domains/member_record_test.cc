#include "server/domains/member_record.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "server/configuration/alias_map.h"
#include "storage/snapshots/cluster_state.h"

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
  EXPECT_EQ(SourceInDomain(member, "slurm"), "#3/alpha/slurm");
  member.cluster_id = 4;
  EXPECT_EQ(SourceInDomain(member, "slurm"), "#4/alpha/slurm");
}

// root > a > amy and ben; in the domain, amy is an alias of ben.
std::shared_ptr<const usage::PriceBook> BookWithAlias() {
  storage::ClusterState state;
  state.associations = {{.id = 1, .account = "root"},
                        {.id = 2, .parent_id = 1, .account = "a"},
                        {.id = 3, .parent_id = 2, .account = "a", .user_name = "amy"},
                        {.id = 4, .parent_id = 2, .account = "a", .user_name = "ben"}};
  const storage::UserAlias alias = {.alias = "amy", .user_name = "ben"};
  return usage::PriceBook::Make(state, state.policy, std::nullopt,
                                configuration::AliasMap({&alias, 1}))
      .value();
}

TEST(InDomainTest, AUserOfAMemberIsNoAliasOfTheDomain) {
  storage::MemberRecord of{.account = "a", .user_name = "amy"};
  of.record.submitted.start_time = absl::FromUnixSeconds(0);
  of.record.submitted.end_time = absl::FromUnixSeconds(60);
  const auto in_domain = InDomain({}, of, *BookWithAlias(), {});
  ASSERT_TRUE(std::holds_alternative<storage::UsageRecord>(in_domain));
  EXPECT_EQ(std::get<storage::UsageRecord>(in_domain).association_id, 3);
}

}  // namespace
}  // namespace priorityd::domains
