#include "storage/configuration_store.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "storage/association_store.h"
#include "storage/policy_store.h"
#include "storage/qos_store.h"
#include "storage/replica_session.h"
#include "storage/retention_store.h"
#include "storage/usage_reset_store.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

class ConfigurationStoreTest : public StoreTest {
 protected:
  int64_t Revision() {
    return Read([&](Transaction& t) { return ConfigurationStore(t).Revision(cluster_.id); })
        .value();
  }
  void Publish() {
    ASSERT_OK(Write([&](Transaction& transaction) -> absl::Status {
      ConfigurationStore store(transaction);
      auto revision = store.LockRevision(cluster_.id);
      if (!revision.ok()) return revision.status();
      return store.Publish(cluster_.id, *revision);
    }));
  }
  absl::Status AddRoot() {
    return Write([&](Transaction& transaction) {
      return AssociationStore(transaction)
          .Insert({{.id = 1, .cluster_id = cluster_.id, .account = "root"}});
    });
  }
  std::vector<Association> Associations(Edition edition) {
    return Read([&](Transaction& t) { return AssociationStore(t).List(cluster_.id, edition); })
        .value();
  }
};

TEST_F(ConfigurationStoreTest, EveryChangeMakesANewRevision) {
  const int64_t created = Revision();
  ASSERT_OK(AddRoot());
  EXPECT_EQ(Revision(), created + 1);
  ASSERT_OK(Write([&](Transaction& transaction) {
    return QosStore(transaction).Insert({.cluster_id = cluster_.id, .name = "q"}).status();
  }));
  EXPECT_EQ(Revision(), created + 2);
  ASSERT_OK(Write([&](Transaction& transaction) {
    PolicyVersion policy{.cluster_id = cluster_.id, .files = {{"slurm.conf", ""}}};
    return PolicyStore(transaction).Append(policy).status();
  }));
  EXPECT_EQ(Revision(), created + 3);
  ASSERT_OK(Write([&](Transaction& transaction) {
    cluster_.nodes = 5;
    return ClusterStore(transaction).Update(cluster_);
  }));
  EXPECT_EQ(Revision(), created + 4);
  ASSERT_OK(Write([&](Transaction& transaction) {
    return AssociationStore(transaction).Delete(cluster_.id, {1}, Microseconds(1));
  }));
  EXPECT_EQ(Revision(), created + 5);
}

TEST_F(ConfigurationStoreTest, AResetMakesANewRevisionOnceAndTheLedgersHorizonToo) {
  ASSERT_OK(AddRoot());
  const int64_t before = Revision();
  const auto reset = [&](Transaction& transaction) {
    return UsageResetStore(transaction).Append(cluster_.id, {1}, Microseconds(1));
  };
  ASSERT_OK(Write(reset));
  EXPECT_EQ(Revision(), before + 1);
  ASSERT_OK(Write(reset));
  EXPECT_EQ(Revision(), before + 1);
  ASSERT_OK(Write([&](Transaction& transaction) {
    return RetentionStore(transaction).MoveHorizon(cluster_.id, Microseconds(1)).status();
  }));
  EXPECT_EQ(Revision(), before + 2);
}

TEST_F(ConfigurationStoreTest, AChangeOfAnotherClusterIsNone) {
  const int64_t before = Revision();
  ASSERT_OK(Write([](Transaction& t) { return ClusterStore(t).FindOrCreate("other").status(); }));
  EXPECT_EQ(Revision(), before);
}

TEST_F(ConfigurationStoreTest, AChangeWakesTheReplicas) {
  auto session = ReplicaSession::Open(database_);
  ASSERT_OK(session);
  ASSERT_OK(AddRoot());
  EXPECT_TRUE((*session)->AwaitNotification(absl::Seconds(30)).value());
}

TEST_F(ConfigurationStoreTest, ThePublishedEditionStaysWhenTheConfigurationChanges) {
  ASSERT_OK(AddRoot());
  EXPECT_TRUE(Associations(Edition::kPublished).empty());
  Publish();
  EXPECT_EQ(Associations(Edition::kPublished), Associations(Edition::kCurrent));
  ASSERT_OK(Write([&](Transaction& transaction) {
    return AssociationStore(transaction).Delete(cluster_.id, {1}, Microseconds(1));
  }));
  EXPECT_TRUE(Associations(Edition::kCurrent).empty());
  EXPECT_EQ(Associations(Edition::kPublished).size(), 1u);
  Publish();
  EXPECT_TRUE(Associations(Edition::kPublished).empty());
}

TEST_F(ConfigurationStoreTest, PublishedRevisionIsTheOneThatWasPublished) {
  auto published = [&] {
    return Read(
               [&](Transaction& t) { return ConfigurationStore(t).PublishedRevision(cluster_.id); })
        .value();
  };
  EXPECT_EQ(published(), -1);
  Publish();
  EXPECT_EQ(published(), Revision());
  ASSERT_OK(AddRoot());
  EXPECT_EQ(published(), Revision() - 1);
}

std::string DecodeColumns(RowReader& row) {
  std::string columns;
  row.Read(&columns);
  return columns;
}

TEST_F(ConfigurationStoreTest, CopiesHaveTheColumnsOfWhatTheyCopy) {
  constexpr char kColumns[] =
      "SELECT string_agg(column_name || ' ' || data_type, ',' ORDER BY ordinal_position) "
      "FROM information_schema.columns WHERE table_schema = 'priorityd' AND table_name = $1 "
      // Of a cluster that is being deleted, which is not published any more.
      "AND column_name <> 'former_name'";
  for (const char* table :
       {"cluster", "association", "cluster_user", "qos", "partition", "half_life"}) {
    auto columns = [&](const std::string& name) {
      return Read([&](Transaction& t) { return t.QueryOne(DecodeColumns, kColumns, {name}); })
          .value();
    };
    EXPECT_EQ(columns(std::string("published_") + table), columns(table));
  }
}

}  // namespace
}  // namespace priorityd::storage
