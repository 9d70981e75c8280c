// What a recalculation writes, and what another replica makes of it.
#include "server/recalculation/published_snapshot.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/administration/imports/site_import.h"
#include "server/recalculation/recalculation.h"
#include "server/recalculation/snapshot_digest.h"
#include "server/recalculation/usage_publication.h"
#include "storage/configuration/configuration_store.h"
#include "storage/snapshots/publication_store.h"
#include "tests/storage/test_database.h"

namespace priorityd::recalculation {
namespace {

const absl::Time kStart = absl::FromUnixSeconds(1'767'571'200);
constexpr int kUsers = 20'000;
// That of a database that nobody has led yet.
constexpr int64_t kEpoch = 0;

using SnapshotPtr = std::shared_ptr<const priority::Snapshot>;

class PublishedSnapshotTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string conf =
        "ClusterName=c\nPriorityType=priority/multifactor\nPriorityDecayHalfLife=1-0\n"
        "NodeName=n[1-2] CPUs=4\nPartitionName=main Nodes=ALL Default=YES\n";
    const auto files = administration::ReadSiteFiles(
        {{{"slurm.conf", conf}, administration::FileKind::kSlurmConf}}, false);
    ASSERT_TRUE(files.ok()) << files.status();
    const auto imported =
        administration::ImportSite(database_, *files, {}, {.principal = "test", .now = kStart});
    ASSERT_TRUE(imported.ok()) << imported.status();
  }

  void Run(const std::string& sql) {
    const absl::Status status = database_.Write(
        [&](storage::Transaction& transaction) { return transaction.ExecuteScript(sql.c_str()); });
    ASSERT_TRUE(status.ok()) << status;
  }
  int64_t Number(const std::string& sql) {
    return database_
        .Read([&](storage::Transaction& transaction) {
          return transaction.QueryOne(storage::OnlyColumn<int64_t>, sql);
        })
        .value();
  }

  // An account, so many users in it, and usage of each. The users' foreign key is not looked
  // at: PostgreSQL has planned that in this session for a table of one row.
  void AddUsers(int users) {
    Run(absl::StrCat(
        "SET LOCAL session_replication_role = replica;"
        "INSERT INTO priorityd.association (id, cluster_id, parent_id, account, user_name, "
        "raw_shares) SELECT 100000 + i, c.id, 100000, 'a', 'u' || i, 1 + i % 7 "
        "FROM priorityd.cluster c, generate_series(1, ",
        users,
        ") AS i;"
        "INSERT INTO priorityd.association_usage (association_id, cluster_id, value, as_of, "
        "tres_ids, tres_seconds, wall_seconds) SELECT id, cluster_id, 1e9 / (3 + id % 1009), "
        "timestamptz '2026-01-01' + id % 1013 * interval '1 second', '{1,2,4}', "
        "ARRAY[id / 3.0, id / 7.0, 1], id / 11.0 FROM priorityd.association "
        "WHERE user_name <> '';"
        "SET LOCAL session_replication_role = origin;"
        "INSERT INTO priorityd.association (id, cluster_id, parent_id, account) "
        "SELECT 100000, cluster_id, id, 'a' FROM priorityd.association WHERE account = 'root'"));
  }
  // Usage of every n-th user.
  void UseMore(int every) {
    Run(
        absl::StrCat("UPDATE priorityd.association_usage SET value = value + 1000, "
                     "changed_xid = pg_current_xact_id()::text::bigint "
                     "WHERE association_id % ",
                     every, " = 0"));
  }

  SnapshotPtr Recalculate() {
    time_ += absl::Minutes(5);
    auto snapshot = recalculator_.Recalculate("c", {.now = time_}, kEpoch);
    EXPECT_TRUE(snapshot.ok()) << snapshot.status();
    return snapshot.ok() ? *snapshot : nullptr;
  }
  SnapshotPtr Load(SnapshotLoader& loader) {
    auto snapshot = loader.Load("c");
    EXPECT_TRUE(snapshot.ok()) << snapshot.status();
    return snapshot.ok() ? *snapshot : nullptr;
  }
  void ExpectLoads(SnapshotLoader& loader, const SnapshotPtr& published) {
    const SnapshotPtr loaded = Load(loader);
    ASSERT_NE(loaded, nullptr);
    EXPECT_EQ(loaded->generation(), published->generation());
    EXPECT_EQ(loaded->computed_at(), published->computed_at());
    EXPECT_EQ(DigestOf(*loaded), DigestOf(*published));
  }
  // Bytes of the log that `work` writes.
  template <typename Work>
  int64_t WalOf(Work work) {
    constexpr char kPosition[] = "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint";
    const int64_t before = Number(kPosition);
    work();
    return Number(kPosition) - before;
  }

  storage::Database database_{{.url = storage::NewTestDatabase()}};
  Recalculator recalculator_{&database_, {.interval = absl::InfiniteDuration()}};
  SnapshotLoader loader_{&database_};
  absl::Time time_ = kStart;
};

TEST_F(PublishedSnapshotTest, APeriodInWhichLittleChangedWritesLittle) {
  AddUsers(kUsers);
  Recalculate();
  Recalculate();
  const int64_t nothing = WalOf([&] { Recalculate(); });
  UseMore(100);
  const int64_t some = WalOf([&] { Recalculate(); });
  UseMore(1);
  const int64_t all = WalOf([&] { Recalculate(); });
  RecordProperty("wal_of_nothing", std::to_string(nothing));
  RecordProperty("wal_of_one_percent", std::to_string(some));
  RecordProperty("wal_of_all", std::to_string(all));
  // Pages that are touched first after a checkpoint are written whole.
  EXPECT_LT(nothing, 150'000);
  EXPECT_LT(some, nothing + 150'000);
  EXPECT_GT(all, 5 * some);
  // As rows of association_factor they took 250 bytes each.
  EXPECT_LT(all, kUsers * 125);
}

TEST_F(PublishedSnapshotTest, AReplicaThatFollowsAndOneThatStartsComputeTheLeadersNumbers) {
  AddUsers(200);
  for (int every : {1, 7, 50, 3, 2, 1, 100}) {
    UseMore(every);
    const SnapshotPtr published = Recalculate();
    ExpectLoads(loader_, published);
    SnapshotLoader starts(&database_);
    ExpectLoads(starts, published);
  }
}

TEST_F(PublishedSnapshotTest, AReplicaThatMissedGenerationsCatchesUp) {
  AddUsers(200);
  Recalculate();
  Load(loader_);
  for (int every : {50, 3, 70}) {
    UseMore(every);
    Recalculate();
  }
  UseMore(90);
  ExpectLoads(loader_, Recalculate());
}

TEST_F(PublishedSnapshotTest, UsageOfADeletedAccountIsItsAncestorsOnEveryReplica) {
  AddUsers(20);
  ExpectLoads(loader_, Recalculate());
  Run("UPDATE priorityd.association SET deleted_at = now() WHERE id > 100010");
  const SnapshotPtr published = Recalculate();
  ExpectLoads(loader_, published);
  const auto account = published->tree().FindId(100000);
  EXPECT_GT(published->own_usage()[account], 0);
}

TEST_F(PublishedSnapshotTest, ANewLeaderContinuesWithWhatTheLastOnePublished) {
  AddUsers(200);
  Recalculate();
  ExpectLoads(loader_, Recalculate());
  recalculator_.Forget();
  UseMore(100);
  ExpectLoads(loader_, Recalculate());
  EXPECT_EQ(Number("SELECT changed_entries FROM priorityd.publication"), 2);
}

TEST_F(PublishedSnapshotTest, NumbersThatDifferAreNotShownButTheLeadersAwaited) {
  AddUsers(20);
  const SnapshotPtr published = Recalculate();
  Run("UPDATE priorityd.publication SET digest = digest + 1");
  EXPECT_EQ(Load(loader_), nullptr);
  EXPECT_EQ(Number("SELECT count(*) FROM priorityd.association_factor"), 0);
  ASSERT_TRUE(recalculator_.PublishNumbersOf(*published, kEpoch).ok());
  Run("UPDATE priorityd.publication SET digest = digest + 1");
  ExpectLoads(loader_, published);
  // The next ones are there at once.
  const SnapshotPtr next = Recalculate();
  Run("UPDATE priorityd.publication SET digest = digest + 1");
  ExpectLoads(loader_, next);
}

TEST_F(PublishedSnapshotTest, NumbersAreKeptForAsLongAsTheyAreWanted) {
  AddUsers(20);
  Recalculate();
  Run("UPDATE priorityd.publication SET numbers_wanted_until = 'infinity'");
  Recalculate();
  EXPECT_EQ(Number("SELECT count(*) FROM priorityd.association_factor"), 22);
  Run("UPDATE priorityd.publication SET numbers_wanted_until = now()");
  Recalculate();
  EXPECT_EQ(Number("SELECT count(*) FROM priorityd.association_factor"), 0);
}

// A leader of the version before knows of no publication.
TEST_F(PublishedSnapshotTest, NumbersOfALeaderThatPublishesOnlyThoseAreTakenOver) {
  AddUsers(20);
  Run("UPDATE priorityd.publication SET numbers_wanted_until = 'infinity'");
  Recalculate();
  Load(loader_);
  Run("UPDATE priorityd.publication SET numbers_wanted_until = 'infinity'");
  UseMore(2);
  const SnapshotPtr published = Recalculate();
  Run("UPDATE priorityd.publication SET generation = 1");
  ExpectLoads(loader_, published);
}

TEST_F(PublishedSnapshotTest, OneChangedAssociationIsPublishedAlone) {
  AddUsers(kUsers);
  Recalculate();
  Run("UPDATE priorityd.association SET raw_shares = 50 WHERE id = 100007");
  const int64_t wal = WalOf([&] { ExpectLoads(loader_, Recalculate()); });
  RecordProperty("wal_of_one_association", std::to_string(wal));
  EXPECT_LT(wal, 200'000);
}

}  // namespace
}  // namespace priorityd::recalculation
