#include "storage/snapshots/snapshot_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "storage/configuration/policy_store.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

class SnapshotStoreTest : public StoreTest {
 protected:
  absl::StatusOr<int64_t> Append(const SnapshotRecord& snapshot) {
    absl::StatusOr<int64_t> generation = absl::UnknownError("not run");
    absl::Status status = Write([&](Transaction& transaction) {
      generation = SnapshotStore(transaction).Append(snapshot);
      return generation.status();
    });
    if (!status.ok()) return status;
    return generation;
  }
  std::optional<SnapshotRecord> Newest() {
    return Read([&](Transaction& t) { return SnapshotStore(t).Newest(cluster_.id); }).value();
  }
};

TEST_F(SnapshotStoreTest, GenerationsCountUpAndTheNewestIsRead) {
  EXPECT_EQ(Newest(), std::nullopt);
  EXPECT_EQ(Append({.cluster_id = cluster_.id, .computed_at = Microseconds(1)}).value(), 1);
  EXPECT_EQ(Append({.cluster_id = cluster_.id, .computed_at = Microseconds(2)}).value(), 2);
  EXPECT_EQ(Newest(), (SnapshotRecord{cluster_.id, 2, Microseconds(2), 0}));
}

TEST_F(SnapshotStoreTest, ThePolicyItNamesMustBeThere) {
  SnapshotRecord snapshot{.cluster_id = cluster_.id, .computed_at = Microseconds(1)};
  snapshot.policy_version = 1;
  EXPECT_EQ(Append(snapshot).status().code(), absl::StatusCode::kFailedPrecondition);
  ASSERT_OK(Write([&](Transaction& transaction) {
    PolicyVersion policy{.cluster_id = cluster_.id, .files = {{"slurm.conf", ""}}};
    return PolicyStore(transaction).Append(policy).status();
  }));
  EXPECT_EQ(Append(snapshot).value(), 1);
  EXPECT_EQ(Newest()->policy_version, 1);
}

class AssociationFactorTest : public SnapshotStoreTest {
 protected:
  void Replace(const std::vector<AssociationFactor>& factors) {
    ASSERT_OK(Write([&](Transaction& transaction) {
      return SnapshotStore(transaction).ReplaceFactors(cluster_.id, factors);
    }));
  }
  std::vector<AssociationFactor> List() {
    return Read([&](Transaction& t) { return SnapshotStore(t).ListFactors(cluster_.id); }).value();
  }
};

TEST_F(AssociationFactorTest, DoublesComeBackBitForBit) {
  std::vector<AssociationFactor> factors;
  for (double value : AwkwardDoubles()) {
    AssociationFactor factor{.association_id = static_cast<int64_t>(factors.size() + 1),
                             .norm_shares = value,
                             .own_usage = value,
                             .raw_usage = value,
                             .norm_usage = value,
                             .effective_usage = value,
                             .level_fs = value,
                             .fair_share = value,
                             .tres_seconds = {{1, value}, {1001, 2 * value}},
                             .wall_seconds = value};
    factors.push_back(factor);
  }
  factors[0].level_fs = std::nullopt;
  factors[1].level_fs = std::numeric_limits<double>::infinity();
  factors[2].tres_seconds.clear();
  factors[4].tres_seconds = {{1, 1}};
  Replace(factors);
  EXPECT_EQ(List(), factors);
}

TEST_F(AssociationFactorTest, OnlyTheNewestAreKept) {
  std::vector<AssociationFactor> many(45'000);
  for (size_t i = 0; i < many.size(); ++i) many[i].association_id = static_cast<int64_t>(i) + 1;
  Replace(many);
  EXPECT_EQ(List().size(), many.size());
  Replace({{.association_id = 7, .fair_share = 0.5}});
  ASSERT_EQ(List().size(), 1u);
  EXPECT_EQ(List()[0].association_id, 7);
}

TEST_F(SnapshotStoreTest, UsageOfQosIsReplacedBitForBit) {
  auto replace = [&](const std::vector<SnapshotQosUsage>& rows) {
    ASSERT_OK(Write([&](Transaction& transaction) {
      return SnapshotStore(transaction).ReplaceQosUsage(cluster_.id, rows);
    }));
    EXPECT_EQ(
        Read([&](Transaction& t) { return SnapshotStore(t).ListQosUsage(cluster_.id); }).value(),
        rows);
  };
  replace({{3, 0.1, {{1, 1.0 / 3}}, 2e-300}, {7, 1e300, {}, 0}});
  replace({{7, 5, {{1, 2}, {4, 6}}, 1}});
  replace({});
}

TEST_F(SnapshotStoreTest, EndsOfJobsFollowWhatIsRunning) {
  auto replace = [&](const std::vector<JobEnd>& jobs) {
    ASSERT_OK(Write([&](Transaction& transaction) {
      return SnapshotStore(transaction).ReplaceJobEnds(cluster_.id, jobs);
    }));
    const auto listed =
        Read([&](Transaction& t) { return SnapshotStore(t).ListJobEnds(cluster_.id); }).value();
    EXPECT_THAT(listed, testing::UnorderedElementsAreArray(jobs));
  };
  replace({{"1", Microseconds(1)}, {"2", Microseconds(2)}, {"{,\"", Microseconds(3)}});
  replace({{"2", Microseconds(5)}, {"{,\"", Microseconds(3)}, {"4", Microseconds(6)}});
  replace({});
}

TEST_F(SnapshotStoreTest, ReservesAreThoseWrittenLast) {
  const auto replace = [&](std::vector<SnapshotReserve> reserves) {
    ASSERT_OK(Write([&](Transaction& transaction) {
      return SnapshotStore(transaction).ReplaceReserves(cluster_.id, reserves);
    }));
    const auto listed =
        Read([&](Transaction& t) { return SnapshotStore(t).ListReserves(cluster_.id); }).value();
    EXPECT_EQ(listed, reserves);
  };
  replace({{1, 0.1}, {2, 1e300}});
  replace({{2, std::numeric_limits<double>::denorm_min()}, {3, 1}});
  replace({});
}

TEST_F(SnapshotStoreTest, StandingsNameEveryCluster) {
  ASSERT_OK(Append({.cluster_id = cluster_.id, .computed_at = Microseconds(5)}).status());
  ASSERT_OK(Write([](Transaction& t) { return ClusterStore(t).FindOrCreate("new").status(); }));
  const auto standings = Read([](Transaction& t) { return SnapshotStore(t).Standings(); }).value();
  ASSERT_EQ(standings.size(), 2u);
  EXPECT_EQ(standings[0], (ClusterStanding{"test", 1, Microseconds(5), 1, false, cluster_.id}));
  EXPECT_EQ(standings[1],
            (ClusterStanding{"new", 0, absl::InfinitePast(), 1, false, standings[1].id}));
  EXPECT_NE(standings[1].id, cluster_.id);
}

}  // namespace
}  // namespace priorityd::storage
