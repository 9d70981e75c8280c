#include "engine/priority/snapshot/snapshot.h"

#include <gtest/gtest.h>

namespace priorityd::priority {
namespace {

// root: physics: ann, bob
SnapshotSource Source() {
  std::vector<Association> associations(4);
  const char* const users[] = {"", "", "ann", "bob"};
  for (int i = 0; i < 4; ++i) {
    associations[i].id = i + 1;
    associations[i].parent_id = i < 2 ? i : 2;
    associations[i].account = i == 0 ? "root" : "physics";
    associations[i].user = users[i];
  }
  SnapshotSource source;
  source.generation = 12;
  source.tree = std::make_shared<const AssociationTree>(*AssociationTree::Build(associations));
  source.own_usage = {0, 0, 10, 30};
  source.own_tres_usage["cpu"] = {0, 5, 1, 2};
  source.own_wall_seconds = {1, 0, 60, 90};
  source.partitions.resize(3);
  source.partitions[0].name = "debug";
  source.partitions[1].name = "batch";
  source.partitions[1].is_default = true;
  source.partitions[1].priority_job_factor = 20;
  source.partitions[1].billing_weights = {{"cpu", 1}, {"gres/gpu", 8}};
  source.partitions[2].name = "long";
  source.partitions[2].priority_job_factor = 3;
  source.qos.resize(2);
  source.qos[0].name = "normal";
  source.qos[0].priority = 4;
  source.qos[1].name = "high";
  source.qos[1].priority = 100;
  source.default_accounts = std::make_shared<const DefaultAccounts>(
      std::vector<DefaultAccounts::UserAndAccount>{{"ann", "physics"}});
  return source;
}

TEST(SnapshotTest, FairShareIsComputedFromOwnUsage) {
  const auto computed = Snapshot::Compute(Source());
  const Snapshot& snapshot = *computed;
  EXPECT_EQ(snapshot.fair_share().usage[0], 40);
  EXPECT_EQ(snapshot.fair_share().fair_share[2], 1);
  EXPECT_EQ(snapshot.fair_share().fair_share[3], 0.5);
}

// 40 billing-seconds were recorded: ann's 10, of which a GrpTRESMins of 1 minute leaves 50.
TEST(SnapshotTest, AReserveCountsInFairShareAndInNoLimit) {
  SnapshotSource source = Source();
  source.own_reserve = {0, 0, 25, 0};
  const auto computed = Snapshot::Compute(source);
  const Snapshot& snapshot = *computed;
  EXPECT_EQ(snapshot.fair_share().usage, (std::vector<double>{65, 65, 35, 30}));
  EXPECT_EQ(snapshot.fair_share().fair_share[2], 0.5);
  EXPECT_EQ(snapshot.fair_share().fair_share[3], 1);
  EXPECT_EQ(snapshot.own_usage(), (std::vector<double>{0, 0, 35, 30}));
  EXPECT_EQ(snapshot.recorded_usage(), (std::vector<double>{40, 40, 10, 30}));
  EXPECT_EQ(snapshot.own_recorded_usage(), source.own_usage);
  EXPECT_EQ(snapshot.reserve(0), 25);
  EXPECT_EQ(snapshot.reserve(2), 25);
  EXPECT_EQ(snapshot.reserve(3), 0);
}

TEST(SnapshotTest, ARestoredSnapshotHasItsReserve) {
  SnapshotSource source = Source();
  source.own_reserve = {0, 0, 25, 0};
  const auto computed = Snapshot::Compute(source);
  SnapshotNumbers numbers;
  numbers.own_usage = computed->own_recorded_usage();
  numbers.fair_share = computed->fair_share();
  const auto restored = Snapshot::Restore(source, std::move(numbers));
  EXPECT_EQ(restored->own_usage(), computed->own_usage());
  EXPECT_EQ(restored->recorded_usage(), computed->recorded_usage());
  EXPECT_EQ(restored->reserve(1), 25);
}

TEST(SnapshotTest, WithoutAReserveAllUsageIsRecorded) {
  const auto snapshot = Snapshot::Compute(Source());
  EXPECT_FALSE(snapshot->has_reserve());
  EXPECT_EQ(&snapshot->recorded_usage(), &snapshot->fair_share().usage);
  EXPECT_EQ(&snapshot->own_usage(), &snapshot->own_recorded_usage());
}

TEST(SnapshotTest, TresAndWallSecondsAreRolledUp) {
  const auto computed = Snapshot::Compute(Source());
  const Snapshot& snapshot = *computed;
  EXPECT_EQ(snapshot.tres_usage().at("cpu")[0], 8);
  EXPECT_EQ(snapshot.tres_usage().at("cpu")[1], 8);
  EXPECT_EQ(snapshot.wall_seconds()[1], 150);
  EXPECT_EQ(snapshot.wall_seconds()[0], 151);
}

TEST(SnapshotTest, WallSecondsMayBeLeftOut) {
  SnapshotSource source = Source();
  source.own_wall_seconds.clear();
  EXPECT_TRUE(Snapshot::Compute(std::move(source))->wall_seconds().empty());
}

TEST(SnapshotTest, PartitionsAndQosAreFoundByName) {
  const auto computed = Snapshot::Compute(Source());
  const Snapshot& snapshot = *computed;
  EXPECT_EQ(snapshot.FindPartition("long"), 2);
  EXPECT_EQ(snapshot.FindPartition("Long"), -1);
  EXPECT_EQ(snapshot.FindQos("high"), 1);
  EXPECT_EQ(snapshot.FindQos(""), -1);
  EXPECT_EQ(snapshot.default_partition(), 1);
}

TEST(SnapshotTest, WithoutADefaultPartitionThereIsNone) {
  SnapshotSource source = Source();
  source.partitions[1].is_default = false;
  EXPECT_EQ(Snapshot::Compute(std::move(source))->default_partition(), -1);
}

// A site without `limits` and `safe` pays nothing for grants that hold nobody.
TEST(SnapshotTest, AGrantIsALimitOnlyWhereItCanHoldAJob) {
  SnapshotSource source = Source();
  source.policy.enforce.limits = false;
  for (int i = 0; i < 2; ++i) {
    GrantStanding& grant = source.grants.emplace_back();
    grant.accounts = {"physics"};
    grant.tres = "cpu";
    grant.available = 100;
    grant.consequence = GrantConsequence::kBlock;
  }
  EXPECT_TRUE(Snapshot::Compute(source)->limits().empty());
  source.grants.Change(1).used = 100;
  const auto used_up = Snapshot::Compute(source);
  ASSERT_EQ(used_up->limits().limits().size(), 1u);
  EXPECT_EQ(used_up->limits().limits()[0].grant, 1);
  source.policy.enforce.safe = true;
  EXPECT_EQ(Snapshot::Compute(source)->limits().limits().size(), 2u);
}

TEST(SnapshotTest, TheLargestFactorsAreKnown) {
  const auto computed = Snapshot::Compute(Source());
  const Snapshot& snapshot = *computed;
  EXPECT_EQ(snapshot.max_partition_factor(), 20u);
  EXPECT_EQ(snapshot.max_qos_priority(), 100u);
}

TEST(SnapshotTest, DefaultAccountsAreByUser) {
  const auto computed = Snapshot::Compute(Source());
  const Snapshot& snapshot = *computed;
  EXPECT_EQ(snapshot.DefaultAccount("ann"), "physics");
  EXPECT_EQ(snapshot.DefaultAccount("bob"), "");
}

TEST(SnapshotTest, BillingFollowsThePartitionAndThePolicy) {
  SnapshotSource source = Source();
  source.policy.max_tres_gres = true;
  const auto computed = Snapshot::Compute(std::move(source));
  const Snapshot& snapshot = *computed;
  EXPECT_EQ(snapshot.billing_rule(-1), BillingRule::kCpu);
  EXPECT_EQ(snapshot.billing_rule(0), BillingRule::kCpu);
  EXPECT_EQ(snapshot.billing_rule(1), BillingRule::kMaxTresGres);
}

}  // namespace
}  // namespace priorityd::priority
