#include "server/status/replaced_replicas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace priorityd::status {
namespace {

using ::testing::ElementsAre;

storage::Replica ReplicaOf(const std::string& name, const std::string& address, int started_at) {
  storage::Replica replica;
  replica.name = name;
  replica.address = address;
  replica.started_at = absl::FromUnixSeconds(started_at);
  return replica;
}

std::vector<std::string> NamesWithoutReplaced(const std::vector<storage::Replica>& replicas) {
  std::vector<std::string> names;
  for (const storage::Replica& replica : WithoutReplaced(replicas)) names.push_back(replica.name);
  return names;
}

TEST(ReplacedReplicasTest, AReplicaThatReturnsAtItsAddressReplacesTheOneBefore) {
  EXPECT_THAT(NamesWithoutReplaced({ReplicaOf("priorityd a:10 1f", "127.0.0.1:7411", 100),
                                    ReplicaOf("priorityd a:27 2e", "127.0.0.1:7411", 200),
                                    ReplicaOf("priorityd a:28 3d", "127.0.0.1:7412", 50)}),
              ElementsAre("priorityd a:27 2e", "priorityd a:28 3d"));
}

TEST(ReplacedReplicasTest, AnotherHostMayHaveTheSameAddress) {
  EXPECT_THAT(NamesWithoutReplaced({ReplicaOf("priorityd a:10 1f", "unix:/run/p.sock", 100),
                                    ReplicaOf("priorityd b:10 2e", "unix:/run/p.sock", 200)}),
              ElementsAre("priorityd a:10 1f", "priorityd b:10 2e"));
}

}  // namespace
}  // namespace priorityd::status
