// A usage report rolled up by hand.
#include "server/usage/usage_rates.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace priorityd::usage {
namespace {

constexpr absl::Duration kWindow = absl::Minutes(10);
enum : int64_t { kRoot = 1, kPhysics, kChemistry, kAnn, kBob, kBobInFast };

// root > physics > ann, bob (and bob in the partition fast); root > chemistry.
class UsageRatesTest : public testing::Test {
 protected:
  static priority::AssociationTree Tree() {
    std::vector<priority::Association> rows = {
        {.id = kRoot, .account = "root"},
        {.id = kPhysics, .parent_id = kRoot, .account = "physics"},
        {.id = kChemistry, .parent_id = kRoot, .account = "chemistry"},
        {.id = kAnn, .parent_id = kPhysics, .account = "physics", .user = "ann"},
        {.id = kBob, .parent_id = kPhysics, .account = "physics", .user = "bob"},
        {.id = kBobInFast,
         .parent_id = kPhysics,
         .account = "physics",
         .user = "bob",
         .partition = "fast"}};
    return priority::AssociationTree::Build(std::move(rows)).value();
  }

  void Add(const char* account, int64_t association_id, const char* qos, double cpu, double wall) {
    UsageReportRow& row = report_.rows.emplace_back();
    row.account = account;
    row.association_id = association_id;
    row.qos = qos;
    row.tres_seconds = {{"cpu", cpu}};
    row.wall_seconds = wall;
  }

  double Of(int64_t association_id, const char* tres = "cpu") const {
    return UsageRates(tree_, report_, kWindow).OfAssociation(tree_.FindId(association_id), tres);
  }

  const priority::AssociationTree tree_ = Tree();
  UsageReport report_;
};

TEST_F(UsageRatesTest, UsageOfAUserCountsForEveryAccountAbove) {
  Add("physics", kAnn, "normal", 1200, 300);
  Add("physics", kBob, "high", 600, 60);
  EXPECT_EQ(Of(kAnn), 2);  // 1200 seconds of a CPU in 600 seconds.
  EXPECT_EQ(Of(kBob), 1);
  EXPECT_EQ(Of(kPhysics), 3);
  EXPECT_EQ(Of(kRoot), 3);
  EXPECT_EQ(Of(kChemistry), 0);
  EXPECT_EQ(Of(kRoot, ""), 0.6);
  EXPECT_EQ(Of(kRoot, "gres/gpu"), 0);
}

// biology, below physics, was deleted with zoology below it; law is unknown.
TEST_F(UsageRatesTest, UsageOfADeletedAssociationCountsForTheNearestAccountAbove) {
  report_.accounts = {
      {"biology", "physics"}, {"physics", "root"}, {"root", ""}, {"zoology", "biology"}};
  Add("physics", 7, "normal", 600, 0);
  Add("biology", 8, "normal", 1200, 0);
  Add("zoology", 9, "normal", 1800, 0);
  Add("zoology", 10, "normal", 600, 0);
  Add("law", 11, "normal", 60, 0);
  EXPECT_EQ(Of(kPhysics), 7);
  EXPECT_EQ(Of(kRoot), 7);
  EXPECT_EQ(UsageRates(tree_, report_, kWindow).OfQos("normal", "cpu"), 7.1);
}

TEST_F(UsageRatesTest, AQosCountsTheRowsThatNameIt) {
  Add("physics", kAnn, "normal", 1200, 300);
  Add("chemistry", kChemistry, "normal", 600, 0);
  Add("physics", kAnn, "high", 60, 6);
  const UsageRates rates(tree_, report_, kWindow);
  EXPECT_EQ(rates.OfQos("normal", "cpu"), 3);
  EXPECT_EQ(rates.OfQos("high", ""), 0.01);
  EXPECT_EQ(rates.OfQos("unused", "cpu"), 0);
}

TEST_F(UsageRatesTest, APartitionOfAUserIsARowOfItsOwn) {
  Add("physics", kBob, "normal", 600, 0);
  Add("physics", kBobInFast, "normal", 1200, 0);
  EXPECT_EQ(Of(kBob), 1);
  EXPECT_EQ(Of(kBobInFast), 2);
  EXPECT_EQ(Of(kPhysics), 3);
}

}  // namespace
}  // namespace priorityd::usage
