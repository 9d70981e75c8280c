// Which snapshot is found, how old it may be, and who waits for one.
#include "server/recalculation/snapshot_registry.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>

#include "absl/time/clock.h"
#include "engine/errors/error_details.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::recalculation {
namespace {

std::shared_ptr<const priority::Snapshot> SnapshotOf(const std::string& cluster,
                                                     int64_t generation) {
  priority::SmallSite site;
  site.source.cluster.name = cluster;
  site.source.generation = generation;
  return site.Build();
}

std::string ReasonOf(const absl::Status& status) { return errors::ReasonOf(status); }

class SnapshotRegistryTest : public testing::Test {
 protected:
  absl::Time now_ = absl::FromUnixSeconds(1'700'000'000);
  SnapshotRegistry registry_{[this] { return now_; }};
};

TEST_F(SnapshotRegistryTest, WithoutAClusterThereIsNothingToFind) {
  EXPECT_EQ(ReasonOf(registry_.Find("").status()), "NO_CLUSTER");
  EXPECT_EQ(ReasonOf(registry_.Resolve("c").status()), "NO_CLUSTER");
}

TEST_F(SnapshotRegistryTest, WithoutAClusterTheErrorNamesOneThatWasDeletedOrHasMoved) {
  EXPECT_EQ(registry_.Find("").status().message(),
            "cluster: got none, but there is no cluster yet; `prioctl import slurm-conf FILE` "
            "(Import) creates one");
  EXPECT_EQ(
      registry_.Find("o\"rc").status().message(),
      "cluster: got \"o\\\"rc\", but there is no cluster yet; `prioctl import slurm-conf FILE` "
      "(Import) creates one");
  registry_.SetDeleted({{"orc", now_}});
  registry_.SetMoved({{"elf", "b"}});
  EXPECT_EQ(registry_.Find("").status().message(),
            "cluster: got none, but there is no cluster yet; `prioctl import slurm-conf FILE` "
            "(Import) creates one; orc was deleted, "
            "RestoreCluster restores it until 2023-11-14T22:13:20+00:00; elf has moved to cell b");
  EXPECT_EQ(ReasonOf(registry_.Find("").status()), "NO_CLUSTER");
}

TEST_F(SnapshotRegistryTest, AClusterIsKnownBeforeItHasASnapshot) {
  registry_.Add("c");
  EXPECT_EQ(registry_.Resolve("c").value(), "c");
  EXPECT_EQ(ReasonOf(registry_.Find("c").status()), "NO_SNAPSHOT");
  EXPECT_EQ(ReasonOf(registry_.Find("d").status()), "UNKNOWN_CLUSTER");
}

TEST_F(SnapshotRegistryTest, AnExpectedClusterIsUnavailableUntilItIsReadOrNoLongerExpected) {
  registry_.Expect("c");
  EXPECT_TRUE(absl::IsUnavailable(registry_.Find("c").status()));
  EXPECT_EQ(ReasonOf(registry_.Resolve("").status()), "CLUSTER_LOADING");
  EXPECT_EQ(ReasonOf(registry_.Find("d").status()), "NO_CLUSTER");
  registry_.Add("c");
  EXPECT_EQ(registry_.Resolve("").value(), "c");
  EXPECT_EQ(ReasonOf(registry_.Find("c").status()), "CLUSTER_LOADING");
  registry_.StopExpecting({{"d"}});
  EXPECT_EQ(ReasonOf(registry_.Find("c").status()), "CLUSTER_LOADING");
  registry_.StopExpecting({{"c"}});
  EXPECT_EQ(ReasonOf(registry_.Find("c").status()), "NO_SNAPSHOT");
  registry_.Expect("c");
  registry_.StopExpecting(std::nullopt);
  EXPECT_EQ(ReasonOf(registry_.Find("c").status()), "NO_SNAPSHOT");
  registry_.Expect("c");
  registry_.Publish(SnapshotOf("c", 1));
  EXPECT_TRUE(registry_.Find("").ok());
}

TEST_F(SnapshotRegistryTest, TheOnlyClusterNeedsNoName) {
  registry_.Publish(SnapshotOf("c", 1));
  EXPECT_EQ(registry_.Find("").value()->cluster().name, "c");
  registry_.Add("d");
  EXPECT_EQ(ReasonOf(registry_.Find("").status()), "AMBIGUOUS_CLUSTER");
}

TEST_F(SnapshotRegistryTest, AddingAgainKeepsTheSnapshot) {
  registry_.Publish(SnapshotOf("c", 1));
  registry_.Add("c");
  EXPECT_EQ(registry_.Find("c").value()->generation(), 1);
}

TEST_F(SnapshotRegistryTest, AnOlderGenerationReplacesNothing) {
  registry_.Publish(SnapshotOf("c", 2));
  registry_.Publish(SnapshotOf("c", 1));
  EXPECT_EQ(registry_.Find("c").value()->generation(), 2);
  registry_.Publish(SnapshotOf("c", 3));
  EXPECT_EQ(registry_.Find("c").value()->generation(), 3);
}

TEST_F(SnapshotRegistryTest, SnapshotsAreStaleOnceNobodyConfirmsThem) {
  registry_.Confirm();
  now_ += absl::Seconds(9);
  EXPECT_EQ(registry_.StaleFor(), absl::ZeroDuration());
  now_ += absl::Seconds(3);
  EXPECT_EQ(registry_.StaleFor(), absl::Seconds(12));
  registry_.Confirm();
  EXPECT_EQ(registry_.StaleFor(), absl::ZeroDuration());
}

TEST_F(SnapshotRegistryTest, BeforeTheFirstConfirmationNothingIsStale) {
  EXPECT_EQ(registry_.StaleFor(), absl::ZeroDuration());
}

TEST_F(SnapshotRegistryTest, WaitingEndsAtOnceWhereTheGenerationIsThere) {
  registry_.Publish(SnapshotOf("c", 5));
  EXPECT_EQ(registry_.AwaitGeneration("c", 4, absl::ZeroDuration()).value()->generation(), 5);
}

TEST_F(SnapshotRegistryTest, WaitingEndsWithoutPatience) {
  registry_.Publish(SnapshotOf("c", 5));
  EXPECT_TRUE(
      absl::IsUnavailable(registry_.AwaitGeneration("c", 6, absl::ZeroDuration()).status()));
  EXPECT_TRUE(
      absl::IsUnavailable(registry_.AwaitGeneration("unknown", 1, absl::ZeroDuration()).status()));
}

TEST_F(SnapshotRegistryTest, WaitingEndsWhenTheSnapshotIsPublished) {
  registry_.Publish(SnapshotOf("c", 1));
  std::thread publisher([&] {
    registry_.Publish(SnapshotOf("d", 2));
    registry_.Publish(SnapshotOf("c", 2));
  });
  EXPECT_EQ(registry_.AwaitGeneration("c", 2, absl::Minutes(1)).value()->generation(), 2);
  publisher.join();
}

TEST_F(SnapshotRegistryTest, ASnapshotOfAnotherDatabaseReplacesALaterGeneration) {
  registry_.Publish(SnapshotOf("c", 5));
  registry_.Replace(SnapshotOf("c", 2));
  EXPECT_EQ(registry_.Find("c").value()->generation(), 2);
  registry_.Forget("c");
  EXPECT_EQ(ReasonOf(registry_.Find("c").status()), "NO_SNAPSHOT");
}

TEST_F(SnapshotRegistryTest, OnlyTheClustersThatAreKeptAreKnown) {
  registry_.Publish(SnapshotOf("c", 1));
  registry_.Publish(SnapshotOf("d", 1));
  registry_.Keep({"d", "e"});
  EXPECT_EQ(ReasonOf(registry_.Find("c").status()), "UNKNOWN_CLUSTER");
  EXPECT_TRUE(registry_.Find("d").ok());
}

}  // namespace
}  // namespace priorityd::recalculation
