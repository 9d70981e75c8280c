// Deletions of clusters that are cut short, gone on with, and made twice at once.
#include "server/administration/clusters/cluster_deletion.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "server/administration/imports/site_files.h"
#include "server/administration/imports/site_import.h"
#include "storage/configuration/cluster_store.h"
#include "tests/storage/test_database.h"

namespace priorityd::administration {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'767'571'200);

class ClusterDeletionTest : public testing::Test {
 protected:
  ClusterDeletionTest() {
    std::string dump = "Cluster - 'c':Fairshare=1\nParent - 'root'\n";
    for (const char* account : {"a", "b", "d"}) {
      dump += std::string("Account - '") + account + "':Fairshare=1\n";
    }
    const auto files =
        ReadSiteFiles({{{"slurm.conf",
                         "ClusterName=c\nPriorityType=priority/multifactor\n"
                         "NodeName=n[1-2] CPUs=4\nPartitionName=main Nodes=ALL Default=YES\n"},
                        FileKind::kSlurmConf},
                       {{"c.cfg", dump}, FileKind::kSacctmgrDump}},
                      false);
    EXPECT_TRUE(files.ok()) << files.status();
    const auto imported = ImportSite(database_, *files, {}, {.principal = "test", .now = kNow});
    EXPECT_TRUE(imported.ok()) << imported.status();
  }

  // As if the one who deletes stopped.
  void Begin() {
    const absl::Status begun = database_.Write([](storage::Transaction& transaction) {
      auto cluster = storage::ClusterStore(transaction).Require("c");
      if (!cluster.ok()) return cluster.status();
      return storage::ClusterDeletion(transaction).Hide(cluster->id, absl::ZeroDuration()).status();
    });
    ASSERT_TRUE(begun.ok()) << begun;
  }
  absl::StatusOr<ClusterDeleted> Delete(bool purge = false) {
    return DeleteCluster(database_, "c", purge, {.principal = "test", .now = kNow},
                         [] { return true; });
  }
  absl::StatusOr<storage::Cluster> Restore(bool validate_only = false) {
    return RestoreCluster(database_, "c",
                          {.principal = "test", .now = kNow, .validate_only = validate_only});
  }
  // Rows of any cluster.
  int64_t Left() {
    int64_t left = 0;
    for (const std::string& table : storage::ClusterDeletion::Tables()) {
      if (table == "audit_event") continue;
      const auto rows = database_.Write([&](storage::Transaction& transaction) {
        return transaction.Execute("SELECT FROM priorityd." + table);
      });
      EXPECT_TRUE(rows.ok()) << rows.status();
      left += rows.value_or(1);
    }
    return left;
  }

  storage::Database database_{{.url = storage::NewTestDatabase()}};
};

TEST_F(ClusterDeletionTest, OneThatWasCutShortIsFinishedByTheNextCall) {
  Begin();
  const auto gone = Delete();
  EXPECT_TRUE(gone.ok()) << gone.status();
  EXPECT_EQ(Left(), 0);
  EXPECT_TRUE(absl::IsNotFound(Delete().status()));
}

TEST_F(ClusterDeletionTest, ADeletedOneIsRestoredOnceAndAgainAfterAnotherDeletion) {
  const int64_t rows = Left();
  for (int i = 0; i < 2; ++i) {
    const auto deleted = Delete();
    ASSERT_TRUE(deleted.ok()) << deleted.status();
    EXPECT_TRUE(deleted->restorable_until.has_value());
    EXPECT_EQ(deleted->contents.associations, 4);
    EXPECT_TRUE(absl::IsNotFound(Delete().status()));
    ASSERT_TRUE(FinishDeletions(database_, [] { return true; }).ok());
    ASSERT_TRUE(Restore(/*validate_only=*/true).ok());
    EXPECT_TRUE(Restore().ok());
    EXPECT_EQ(Restore().status().code(), absl::StatusCode::kNotFound);
    EXPECT_EQ(Left(), rows);
  }
}

TEST_F(ClusterDeletionTest, APurgeDeletesTheRowsOfAllThatHadTheName) {
  ASSERT_TRUE(Delete().ok());
  const auto purged = Delete(/*purge=*/true);
  ASSERT_TRUE(purged.ok()) << purged.status();
  EXPECT_FALSE(purged->restorable_until.has_value());
  EXPECT_EQ(purged->contents.associations, 4);
  EXPECT_EQ(Left(), 0);
  EXPECT_TRUE(absl::IsNotFound(Restore().status()));
}

TEST_F(ClusterDeletionTest, APurgeThatWasInterruptedIsFinishedLater) {
  int asked = 0;
  const auto interrupted =
      DeleteCluster(database_, "c", /*purge=*/true, {.principal = "test", .now = kNow},
                    [&] { return ++asked <= 1; });
  EXPECT_TRUE(absl::IsUnavailable(interrupted.status())) << interrupted.status();
  EXPECT_EQ(asked, 2);
  EXPECT_GT(Left(), 0);
  const auto finished = FinishDeletions(database_, [] { return true; });
  ASSERT_TRUE(finished.ok()) << finished.status();
  EXPECT_EQ(*finished, std::vector<std::string>{"c"});
  EXPECT_EQ(Left(), 0);
}

TEST_F(ClusterDeletionTest, BegunOnesAreFinishedOnlyWhileThatIsAllowed) {
  Begin();
  int asked = 0;
  const auto none = FinishDeletions(database_, [&] { return ++asked <= 2; });
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_EQ(*none, std::vector<std::string>());
  EXPECT_GT(Left(), 0);
  const auto all = FinishDeletions(database_, [] { return true; });
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(*all, std::vector<std::string>{"c"});
  EXPECT_EQ(Left(), 0);
}

TEST_F(ClusterDeletionTest, TwoAtOnceLeaveNothingAndNeitherFails) {
  Begin();
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([this] {
      const auto gone = FinishDeletions(database_, [] { return true; });
      EXPECT_TRUE(gone.ok()) << gone.status();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Left(), 0);
}

}  // namespace
}  // namespace priorityd::administration
