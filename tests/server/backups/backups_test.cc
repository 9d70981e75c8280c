// Backups of a real PostgreSQL, restored into another.
#include "server/backups/backups.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "server/administration/imports/site_files.h"
#include "server/administration/imports/site_import.h"
#include "storage/database/database.h"
#include "tests/storage/test_database.h"
#include "tests/temporary_folder.h"

namespace priorityd::backups {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class BackupsTest : public ::testing::Test {
 protected:
  BackupsTest() {
    using administration::FileKind;
    const auto files = administration::ReadSiteFiles(
        {{{"slurm.conf", "ClusterName=c\nPriorityType=priority/multifactor\n"},
          FileKind::kSlurmConf},
         {{"dump", "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - 'a':Fairshare=1\n"},
          FileKind::kSacctmgrDump}},
        false);
    EXPECT_TRUE(files.ok()) << files.status();
    const auto imported = administration::ImportSite(
        database_, *files, {}, {.principal = "test", .now = absl::FromUnixSeconds(1'767'571'200)});
    EXPECT_TRUE(imported.ok()) << imported.status();
  }
  BackupOptions Options(int keep = 14) {
    return {.origin = {url_, storage::TestServer().programs()},
            .folder = temporary_.path() + "/backups",
            .scratch = temporary_.path() + "/verify",
            .keep = keep};
  }
  void Execute(const std::string& statement) {
    const auto done = database_.Write(
        [&](storage::Transaction& transaction) { return transaction.Execute(statement); });
    ASSERT_TRUE(done.ok()) << done.status();
  }
  int64_t Rows(const std::string& select) {
    const auto rows = database_.Write(
        [&](storage::Transaction& transaction) { return transaction.Execute(select); });
    EXPECT_TRUE(rows.ok()) << rows.status();
    return rows.value_or(-1);
  }
  size_t Files() {
    size_t files = 0;
    std::error_code none;
    for ([[maybe_unused]] const auto& entry :
         fs::directory_iterator(temporary_.path() + "/backups", none)) {
      ++files;
    }
    return files;
  }

  const TemporaryFolder temporary_;
  const std::string url_ = storage::NewTestDatabase();
  storage::Database database_{{.url = url_}};
};

TEST_F(BackupsTest, ABackupIsRestoredComparedAndMarked) {
  Backups backups(Options());
  const auto made = backups.Create(kManual);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_GT(made->bytes, 1000);
  EXPECT_EQ(made->tables.at("association").substr(0, 2), "2 ");
  EXPECT_FALSE(made->verified_at.has_value());
  // What changes later is not in it.
  Execute("DELETE FROM priorityd.half_life");
  Execute("UPDATE priorityd.association SET raw_shares = 7");
  const auto verified = backups.Verify("");
  ASSERT_TRUE(verified.ok()) << verified.status();
  EXPECT_EQ(verified->name, made->name);
  EXPECT_TRUE(verified->verified_at.has_value());
  EXPECT_EQ(backups.List()->back().verified_at, verified->verified_at);
  EXPECT_FALSE(fs::exists(temporary_.path() + "/verify"));
}

// As docs/backup.md says; the views of priorityd_report depend on the tables.
TEST_F(BackupsTest, ABackupReplacesTheRunningDatabase) {
  Backups backups(Options());
  const auto made = backups.Create(kManual);
  ASSERT_TRUE(made.ok()) << made.status();
  Execute("UPDATE priorityd.association SET raw_shares = 7");
  const std::string restore = absl::StrCat(
      storage::TestServer().programs(),
      "/pg_restore --clean --if-exists --single-transaction --exit-on-error --dbname='", url_, "' ",
      BackupFolder(backups.folder()).DumpOf(made->name));
  ASSERT_EQ(std::system(restore.c_str()), 0);
  EXPECT_EQ(Rows("SELECT FROM priorityd.association WHERE raw_shares = 7"), 0);
  EXPECT_EQ(Rows("SELECT FROM priorityd_report.cluster"), 1);
}

// The dump and the digests are of one moment.
TEST_F(BackupsTest, ABackupMadeWhileTheDatabaseChangesIsConsistent) {
  Backups backups(Options());
  std::atomic<bool> stops = false;
  std::thread writer([&] {
    while (!stops) Execute("UPDATE priorityd.association SET raw_shares = raw_shares + 1");
  });
  for (int i = 0; i < 2; ++i) {
    const auto made = backups.Create(i == 0 ? kManual : kBeforeImport);
    ASSERT_TRUE(made.ok()) << made.status();
    const auto verified = backups.Verify(made->name);
    EXPECT_TRUE(verified.ok()) << verified.status();
  }
  stops = true;
  writer.join();
}

TEST_F(BackupsTest, ADamagedDumpAndAnotherContentAreNotGood) {
  Backups backups(Options());
  Backup made = *backups.Create(kManual);
  BackupFolder folder(backups.folder());
  Backup other = made;
  other.tables["association"] = "3 1";
  ASSERT_TRUE(folder.Write(other).ok());
  const absl::Status differs = backups.Verify(made.name).status();
  EXPECT_EQ(differs.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(differs.message()), HasSubstr("association: got 2 "));
  ASSERT_TRUE(folder.Write(made).ok());
  std::fstream dump(folder.DumpOf(made.name), std::ios::in | std::ios::out | std::ios::binary);
  dump.seekp(made.bytes / 2);
  dump << std::string(64, '\x5a');
  dump.close();
  EXPECT_FALSE(backups.Verify(made.name).ok());
  EXPECT_FALSE(backups.List()->back().verified_at.has_value());
}

// Of a full disk or a file server, for example.
TEST_F(BackupsTest, ADamagedManifestHindersNeitherTheNextBackupNorTheChecksOfOthers) {
  Backups backups(Options(/*keep=*/1));
  ASSERT_TRUE(backups.Create(kManual).ok());
  fs::create_directories(backups.folder());
  std::ofstream(backups.folder() + "/priorityd-20000105T000000Z-import.manifest");
  std::ofstream(backups.folder() + "/priorityd-29990105T000000Z-manual.manifest");
  const auto made = backups.Create(kBeforeUpgrade);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_TRUE(backups.CreateBefore("an import", kBeforeImport).ok());
  EXPECT_EQ(backups.List()->size(), 5u);
  EXPECT_EQ(*backups.NewestBegin(), backups.List()->at(3).begun_at);
  const auto verified = backups.Verify("");
  ASSERT_TRUE(verified.ok()) << verified.status();
  EXPECT_EQ(verified->reason, kBeforeImport);
}

// A refused import would leave one more at each try.
TEST_F(BackupsTest, AnOldBackupThatCannotBeDeletedRefusesNoImport) {
  Backups backups(Options(/*keep=*/1));
  Backup made = *backups.Create(kManual);
  BackupFolder folder(backups.folder());
  for (int day = 1; day <= 3; ++day) {
    made.begun_at = absl::FromUnixSeconds(946'684'800) + absl::Hours(24 * day);
    made.reason = kBeforeImport;
    made.name = NameOf(made.begun_at, made.reason);
    ASSERT_TRUE(folder.Begin(made.name).ok());
    ASSERT_TRUE(folder.Finish(&made).ok());
  }
  fs::remove(folder.DumpOf(made.name));
  fs::create_directory(folder.DumpOf(made.name));
  const absl::Status status = backups.CreateBefore("an import", kBeforeImport);
  EXPECT_TRUE(status.ok()) << status;
  const auto left = backups.List().value();
  ASSERT_EQ(left.size(), 3u);
  EXPECT_EQ(left[0].name, made.name);
  EXPECT_EQ(left[1].reason, kManual);
  EXPECT_EQ(left[2].reason, kBeforeImport);
  EXPECT_EQ(Files(), 6u);
}

// The ledger says something else than the usage rows.
TEST_F(BackupsTest, WrongUsageIsFound) {
  Execute(
      "INSERT INTO priorityd.association_usage (association_id, cluster_id, value, as_of) "
      "SELECT id, cluster_id, 5, now() FROM priorityd.association WHERE account = 'a'");
  Backups backups(Options());
  ASSERT_TRUE(backups.Create(kManual).ok());
  const absl::Status wrong = backups.Verify("").status();
  EXPECT_EQ(wrong.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(wrong.message()), HasSubstr("cluster c: 1 rows of usage differ"));
}

// pg_dump is ended by the kernel in the middle of the file.
TEST_F(BackupsTest, AFullDiskLeavesNoPartAndSaysWhatFailed) {
  Backups backups(Options());
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small = {4096, before.rlim_max};
  signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const absl::Status full = backups.CreateBefore("an import", kBeforeImport);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_FALSE(full.ok());
  EXPECT_THAT(std::string(full.message()), HasSubstr("pg_dump"));
  EXPECT_THAT(std::string(full.message()), HasSubstr("nothing was done: an import begins with"));
  EXPECT_EQ(Files(), 0u);
  EXPECT_TRUE(backups.List()->empty());
}

// A lock blocks it until it has ended.
TEST_F(BackupsTest, AStopEndsABackupThatIsBeingMade) {
  Backups backups(Options());
  absl::Status made;
  const auto done = database_.Write([&](storage::Transaction& transaction) -> absl::Status {
    const auto locked =
        transaction.Execute("LOCK TABLE priorityd.association IN ACCESS EXCLUSIVE MODE");
    if (!locked.ok()) return locked.status();
    std::thread backup([&] { made = backups.Create(kManual).status(); });
    absl::StatusOr<int64_t> blocked = 0;
    while (blocked.ok() && *blocked == 0) {
      blocked = transaction.Execute("SELECT FROM pg_locks WHERE NOT granted");
    }
    backups.Stop();
    backup.join();
    return blocked.status();
  });
  EXPECT_TRUE(done.ok()) << done;
  EXPECT_TRUE(absl::IsCancelled(made)) << made;
  EXPECT_EQ(Files(), 0u);
}

TEST_F(BackupsTest, AStopEndsARestoreAndLeavesTheBackupUnverified) {
  Backups backups(Options());
  ASSERT_TRUE(backups.Create(kManual).ok());
  backups.Stop();
  const absl::Status verified = backups.Verify("").status();
  EXPECT_TRUE(absl::IsCancelled(verified)) << verified;
  EXPECT_THAT(backups.CreateBefore("an import", kBeforeImport).ToString(),
              testing::HasSubstr("UNAVAILABLE: the service is stopping: nothing was done"));
  ASSERT_EQ(backups.List()->size(), 1u);
  EXPECT_FALSE(backups.List()->back().verified_at.has_value());
  EXPECT_FALSE(fs::exists(temporary_.path() + "/verify"));
}

TEST_F(BackupsTest, WithoutBackupsByItselfNoneIsMadeAndNoneDeleted) {
  Backups backups(Options(/*keep=*/0));
  EXPECT_TRUE(backups.CreateBefore("an import", kBeforeImport).ok());
  EXPECT_TRUE(backups.List()->empty());
  EXPECT_TRUE(backups.Create(kManual).ok());
  EXPECT_EQ(backups.List()->size(), 1u);
}

TEST_F(BackupsTest, AnUnreachableDatabaseIsAnError) {
  BackupOptions options = Options();
  options.origin.url = "host=/nonexistent dbname=x";
  Backups backups(options);
  EXPECT_FALSE(backups.Create(kManual).ok());
  EXPECT_EQ(Files(), 0u);
}

}  // namespace
}  // namespace priorityd::backups
