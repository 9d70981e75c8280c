// Which clusters were deleted, from two readings of them.
#include "server/recalculation/deleted_clusters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace priorityd::recalculation {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using DeletedNames = std::vector<std::string>;

std::vector<storage::ClusterStanding> Standings(
    const std::vector<std::pair<std::string, int32_t>>& clusters) {
  std::vector<storage::ClusterStanding> standings;
  for (const auto& [name, id] : clusters) {
    storage::ClusterStanding& standing = standings.emplace_back();
    standing.name = name;
    standing.id = id;
  }
  return standings;
}

TEST(DeletedClustersTest, AClusterIsDeletedIfItWasKnownAndIsMissing) {
  DeletedClusters deleted;
  EXPECT_THAT(deleted.Find(Standings({{"a", 1}, {"b", 2}}), std::nullopt, {}), IsEmpty());
  EXPECT_THAT(deleted.Find(Standings({{"b", 2}}), std::nullopt, {"a", "b"}), ElementsAre("a"));
  EXPECT_THAT(deleted.Find(Standings({{"b", 2}}), std::nullopt, {"b"}), IsEmpty());
}

TEST(DeletedClustersTest, AClusterWithAnotherIdWasDeletedAndCreatedAgain) {
  DeletedClusters deleted;
  EXPECT_THAT(deleted.Find(Standings({{"a", 1}}), std::nullopt, {}), IsEmpty());
  EXPECT_THAT(deleted.Find(Standings({{"a", 7}}), std::nullopt, {"a"}), ElementsAre("a"));
  EXPECT_THAT(deleted.Find(Standings({{"a", 7}}), std::nullopt, {"a"}), IsEmpty());
}

TEST(DeletedClustersTest, AClusterThatWasNotLookedForIsNotDeleted) {
  DeletedClusters deleted;
  deleted.Find(Standings({{"a", 1}, {"b", 2}}), std::nullopt, {});
  EXPECT_THAT(deleted.Find(Standings({}), {{"b"}}, {"a", "b"}), ElementsAre("b"));
  EXPECT_THAT(deleted.Find(Standings({{"a", 3}}), std::nullopt, {"a"}), ElementsAre("a"));
}

TEST(DeletedClustersTest, AClusterCreatedWhileTheStandingsWereReadIsNotDeleted) {
  DeletedClusters deleted;
  EXPECT_THAT(deleted.Find(Standings({{"a", 1}}), std::nullopt, DeletedNames()), IsEmpty());
  EXPECT_THAT(deleted.Find(Standings({{"a", 1}, {"new", 2}}), std::nullopt, {"a", "new"}),
              IsEmpty());
}

}  // namespace
}  // namespace priorityd::recalculation
