#include "storage/configuration/configuration_store.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "storage/configuration/association_store.h"
#include "storage/configuration/cluster_user_store.h"
#include "storage/configuration/policy_store.h"
#include "storage/configuration/qos_store.h"
#include "storage/ledger/retention_store.h"
#include "storage/ledger/usage_reset_store.h"
#include "storage/ledger/usage_store.h"
#include "storage/snapshots/replica_session.h"
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

class PublishWrittenTest : public ConfigurationStoreTest {
 protected:
  int64_t Watermark() {
    return Read([](Transaction& t) { return UsageStore(t).Watermark(); }).value();
  }
  void PublishWritten(int64_t watermark) {
    ASSERT_OK(Write([&](Transaction& transaction) -> absl::Status {
      ConfigurationStore store(transaction);
      auto revision = store.LockRevision(cluster_.id);
      if (!revision.ok()) return revision.status();
      return store.PublishWritten(cluster_.id, *revision, watermark);
    }));
  }
  std::vector<ClusterUser> Users(Edition edition) {
    return Read([&](Transaction& t) { return ClusterUserStore(t).List(cluster_.id, edition); })
        .value();
  }
  void ExpectAllPublished() {
    EXPECT_EQ(Associations(Edition::kPublished), Associations(Edition::kCurrent));
    EXPECT_EQ(Users(Edition::kPublished), Users(Edition::kCurrent));
  }

  absl::Status Add(int64_t id, const std::string& account) {
    return Write([&](Transaction& t) {
      Association row{.id = id, .cluster_id = cluster_.id, .account = account};
      if (id > 1) row.parent_id = 1;
      return AssociationStore(t).Insert({row});
    });
  }
};

TEST_F(PublishWrittenTest, WhateverWasDoneSinceTheEditionsAreEqual) {
  ASSERT_OK(AddRoot());
  Publish();
  for (int step = 0; step < 12; ++step) {
    const int64_t watermark = Watermark();
    const int64_t id = 10 + step;
    ASSERT_OK(Add(id, "a" + std::to_string(id)));
    ASSERT_OK(Write([&](Transaction& t) -> absl::Status {
      ClusterUserStore users(t);
      const std::string name = "u" + std::to_string(step);
      absl::Status status = users.Upsert({{cluster_.id, name, "root", ""}});
      // Sometimes, for each kind, deletes one: no row of it is left.
      if (status.ok() && step % 3 == 2) {
        status = users.Delete(cluster_.id, {"u" + std::to_string(step - 1)});
      }
      AssociationStore associations(t);
      if (status.ok() && step % 4 == 3) {
        status = associations.Delete(cluster_.id, {id - 2}, Microseconds(1));
      }
      Association changed{.id = id, .cluster_id = cluster_.id, .parent_id = 1, .raw_shares = step};
      changed.account = "a" + std::to_string(id);
      if (status.ok()) status = associations.Update({changed});
      return status;
    }));
    PublishWritten(watermark);
    ExpectAllPublished();
  }
}

TEST_F(PublishWrittenTest, WhatATransactionWroteThatWasOpenAtTheWatermarkIsPublished) {
  ASSERT_OK(AddRoot());
  int64_t watermark = 0;
  ASSERT_OK(Write([&](Transaction& t) -> absl::Status {
    absl::Status status = AssociationStore(t).Insert(
        {{.id = 2, .cluster_id = cluster_.id, .parent_id = 1, .account = "a"}});
    // Others go on meanwhile; none sees it yet.
    for (int i = 0; i < 3; ++i) {
      EXPECT_OK(
          Write([](Transaction& other) { return ClusterStore(other).FindOrCreate("b").status(); }));
    }
    watermark = Watermark();
    return status;
  }));
  ASSERT_OK(Write([&](Transaction& t) {
    return t.ExecuteScript(
        "INSERT INTO priorityd.published_association "
        "SELECT * FROM priorityd.association WHERE id = 1");
  }));
  PublishWritten(watermark);
  ExpectAllPublished();
}

TEST_F(PublishWrittenTest, WhatWasNotWrittenIsNotCompared) {
  ASSERT_OK(AddRoot());
  ASSERT_OK(Add(2, "a"));
  Publish();
  ASSERT_OK(Write([](Transaction& t) {
    return t.ExecuteScript("UPDATE priorityd.published_association SET description = 'other'");
  }));
  const int64_t watermark = Watermark();
  ASSERT_OK(Add(3, "b"));
  PublishWritten(watermark);
  EXPECT_EQ(Associations(Edition::kPublished)[1].description, "other");
  EXPECT_EQ(Associations(Edition::kPublished)[2].description, "");
  EXPECT_EQ(Associations(Edition::kPublished).size(), 3u);
}

TEST_F(PublishWrittenTest, SoManyThatAllAreComparedArePublishedToo) {
  ASSERT_OK(AddRoot());
  Publish();
  const int64_t watermark = Watermark();
  ASSERT_OK(Write([&](Transaction& t) {
    return t
        .Execute(
            "INSERT INTO priorityd.association (id, cluster_id, parent_id, account) "
            "SELECT i, $1::integer, 1, 'a' || i FROM generate_series(2, 12000) i",
            {cluster_.id})
        .status();
  }));
  PublishWritten(watermark);
  ExpectAllPublished();
}

// The statistics know another cluster alone, so a join of the two tables seems to be one of few
// rows.
TEST_F(PublishWrittenTest, EachWrittenRowIsLookedUpByItsKey) {
  ASSERT_OK(AddRoot());
  Publish();
  ASSERT_OK(Write([](Transaction& t) {
    return t.ExecuteScript(
        "INSERT INTO priorityd.cluster (name) VALUES ('other'); "
        "INSERT INTO priorityd.association (id, cluster_id, account) "
        "SELECT 2000000, id, 'root' FROM priorityd.cluster WHERE name = 'other'; "
        "INSERT INTO priorityd.association (id, cluster_id, parent_id, account, user_name) "
        "SELECT 2000000 + i, cluster_id, id, account, 'user' || i "
        "FROM priorityd.association, generate_series(1, 20000) i WHERE id = 2000000; "
        "INSERT INTO priorityd.published_association "
        "SELECT * FROM priorityd.association WHERE id >= 2000000; "
        "ANALYZE priorityd.association, priorityd.published_association");
  }));
  for (const char* const statement :
       {"INSERT INTO priorityd.association (id, cluster_id, parent_id, account) "
        "SELECT i, $1::integer, 1, 'a' || i FROM generate_series(2, 5000) i",
        "UPDATE priorityd.association SET description = 'x' WHERE cluster_id = $1::integer"}) {
    const int64_t watermark = Watermark();
    ASSERT_OK(Write([&](Transaction& t) { return t.Execute(statement, {cluster_.id}).status(); }));
    for (const char* const table : {"priorityd.association", "priorityd.published_association"}) {
      const auto read = Write([&](Transaction& t) {
        return RowsReadBy(t, table, [&] {
          ConfigurationStore store(t);
          return store.PublishWritten(cluster_.id, *store.LockRevision(cluster_.id), watermark);
        });
      });
      ASSERT_OK(read.status());
      EXPECT_LT(*read, 100'000) << table << ": " << statement;
    }
    ExpectAllPublished();
  }
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

TEST_F(ConfigurationStoreTest, CopiesHaveTheColumnsOfWhatTheyCopy) {
  constexpr char kColumns[] =
      "SELECT string_agg(column_name || ' ' || data_type, ',' ORDER BY ordinal_position) "
      "FROM information_schema.columns WHERE table_schema = 'priorityd' AND table_name = $1 "
      // Of a cluster that is being deleted, which is not published any more.
      "AND column_name <> 'former_name'";
  for (const char* table :
       {"cluster", "association", "cluster_user", "qos", "partition", "half_life"}) {
    auto columns = [&](const std::string& name) {
      return Read([&](Transaction& t) {
               return t.QueryOne(OnlyColumn<std::string>, kColumns, {name});
             })
          .value();
    };
    EXPECT_EQ(columns(std::string("published_") + table), columns(table));
  }
}

}  // namespace
}  // namespace priorityd::storage
