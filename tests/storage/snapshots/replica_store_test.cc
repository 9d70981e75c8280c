#include "storage/snapshots/replica_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/schema/migration.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

using ::testing::StartsWith;

Replica ReplicaNamed(const std::string& name) {
  return {.name = name,
          .address = "10.0.0.1:7411",
          .version = "1.0.0",
          .known_migration = 50,
          .started_at = Microseconds(7),
          .leads = true,
          .host_ahead_seconds = -0.25,
          .seen_at = {},
          .unseen_seconds = 0};
}

class ReplicaStoreTest : public StoreTest {
 protected:
  void Report(const Replica& replica) {
    ASSERT_OK(Write([&](Transaction& t) { return ReplicaStore(t).Report(replica); }));
  }
  std::vector<Replica> List() {
    return Read([](Transaction& t) { return ReplicaStore(t).List(); }).value();
  }
};

TEST_F(ReplicaStoreTest, ARowHasTheLastReportOfAReplica) {
  Replica replica = ReplicaNamed("a");
  Report(ReplicaNamed("b"));
  Report(replica);
  replica.leads = false;
  replica.address = "unix:/run/'x'";
  Report(replica);
  const std::vector<Replica> rows = List();
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[0].name, "a");
  EXPECT_EQ(rows[0].address, "unix:/run/'x'");
  EXPECT_EQ(rows[0].version, "1.0.0");
  EXPECT_EQ(rows[0].known_migration, 50);
  EXPECT_EQ(rows[0].started_at, Microseconds(7));
  EXPECT_FALSE(rows[0].leads);
  EXPECT_EQ(rows[0].host_ahead_seconds, -0.25);
  EXPECT_GE(rows[0].seen_at, rows[1].seen_at);
  EXPECT_GE(rows[0].unseen_seconds, 0);
  EXPECT_GE(rows[1].unseen_seconds, rows[0].unseen_seconds);
}

TEST_F(ReplicaStoreTest, ReplicasWithoutReportsAreDeleted) {
  Report(ReplicaNamed("a"));
  Report(ReplicaNamed("b"));
  ASSERT_OK(Write([](Transaction& t) {
    return t.ExecuteScript(
        "UPDATE priorityd.replica SET seen_at = seen_at - interval '2 hours' WHERE name = 'a'");
  }));
  EXPECT_GT(List()[0].unseen_seconds, 7199);
  ASSERT_OK(Write([](Transaction& t) { return ReplicaStore(t).DeleteUnseen(absl::Hours(1)); }));
  ASSERT_EQ(List().size(), 1);
  EXPECT_EQ(List()[0].name, "b");
  ASSERT_OK(Write([](Transaction& t) { return ReplicaStore(t).Delete("b"); }));
  EXPECT_TRUE(List().empty());
}

TEST_F(ReplicaStoreTest, AReplicaThatHasEndedIsNoOlderProgramThatRuns) {
  const auto runs_without = [&](int32_t migration) {
    return Read([&](Transaction& t) { return ReplicaStore(t).AnyRunsWithout(migration); }).value();
  };
  EXPECT_FALSE(runs_without(50));
  Report(ReplicaNamed("a"));
  EXPECT_FALSE(runs_without(50));
  EXPECT_TRUE(runs_without(51));
  ASSERT_OK(Write([](Transaction& t) {
    return t.ExecuteScript("UPDATE priorityd.replica SET seen_at = seen_at - interval '61 s'");
  }));
  EXPECT_FALSE(runs_without(51));
}

TEST_F(ReplicaStoreTest, ListsWhatTheDatabaseIs) {
  const auto versions = Read([](Transaction& t) { return ReplicaStore(t).ListMigrations(); });
  ASSERT_OK(versions);
  EXPECT_EQ(versions->back(), AllMigrations().back().version);
  const auto server = Read([](Transaction& t) { return ReplicaStore(t).ServerVersion(); });
  ASSERT_OK(server);
  EXPECT_THAT(*server, StartsWith("15."));
}

}  // namespace
}  // namespace priorityd::storage
