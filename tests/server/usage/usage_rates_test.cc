// A usage report rolled up by hand.
#include "server/usage/usage_rates.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace priorityd::usage {
namespace {

constexpr absl::Duration kWindow = absl::Minutes(10);

// root > physics > ann, bob (and bob in the partition fast); root > chemistry.
class UsageRatesTest : public testing::Test {
 protected:
  static priority::AssociationTree Tree() {
    std::vector<priority::Association> rows = {
        {.id = 1, .account = "root"},
        {.id = 2, .parent_id = 1, .account = "physics"},
        {.id = 3, .parent_id = 1, .account = "chemistry"},
        {.id = 4, .parent_id = 2, .account = "physics", .user = "ann"},
        {.id = 5, .parent_id = 2, .account = "physics", .user = "bob"},
        {.id = 6, .parent_id = 2, .account = "physics", .user = "bob", .partition = "fast"}};
    return priority::AssociationTree::Build(std::move(rows)).value();
  }

  void Add(const char* account, const char* user, const char* qos, double cpu, double wall) {
    UsageReportRow& row = report_.rows.emplace_back();
    row.account = account;
    row.user = user;
    row.qos = qos;
    row.tres_seconds = {{"cpu", cpu}};
    row.wall_seconds = wall;
  }

  double Of(const char* account, const char* user = "", const char* tres = "cpu") const {
    return UsageRates(tree_, report_, kWindow)
        .OfAssociation(*user == 0 ? tree_.FindAccount(account) : tree_.FindUser(account, user, ""),
                       tres)
        .value();
  }

  const priority::AssociationTree tree_ = Tree();
  UsageReport report_;
};

TEST_F(UsageRatesTest, UsageOfAUserCountsForEveryAccountAbove) {
  Add("physics", "ann", "normal", 1200, 300);
  Add("physics", "bob", "high", 600, 60);
  EXPECT_EQ(Of("physics", "ann"), 2);  // 1200 seconds of a CPU in 600 seconds.
  EXPECT_EQ(Of("physics", "bob"), 1);
  EXPECT_EQ(Of("physics"), 3);
  EXPECT_EQ(Of("root"), 3);
  EXPECT_EQ(Of("chemistry"), 0);
  EXPECT_EQ(Of("root", "", ""), 0.6);
  EXPECT_EQ(Of("root", "", "gres/gpu"), 0);
}

TEST_F(UsageRatesTest, UsageOfADeletedUserCountsForTheAccountAndOfADeletedAccountForTheQos) {
  Add("physics", "gone", "normal", 600, 0);
  Add("biology", "ann", "normal", 1200, 0);
  EXPECT_EQ(Of("physics"), 1);
  EXPECT_EQ(Of("root"), 1);
  EXPECT_EQ(UsageRates(tree_, report_, kWindow).OfQos("normal", "cpu"), 3);
}

TEST_F(UsageRatesTest, AQosCountsTheRowsThatNameIt) {
  Add("physics", "ann", "normal", 1200, 300);
  Add("chemistry", "", "normal", 600, 0);
  Add("physics", "ann", "high", 60, 6);
  const UsageRates rates(tree_, report_, kWindow);
  EXPECT_EQ(rates.OfQos("normal", "cpu"), 3);
  EXPECT_EQ(rates.OfQos("high", ""), 0.01);
  EXPECT_EQ(rates.OfQos("unused", "cpu"), 0);
}

TEST_F(UsageRatesTest, TheRateOfAPartitionOfAUserIsUnknown) {
  Add("physics", "bob", "normal", 1200, 300);
  const UsageRates rates(tree_, report_, kWindow);
  EXPECT_EQ(rates.OfAssociation(tree_.FindUser("physics", "bob", "fast"), "cpu"), std::nullopt);
}

}  // namespace
}  // namespace priorityd::usage
