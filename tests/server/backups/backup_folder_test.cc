#include "server/backups/backup_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "tests/failing_directories.h"
#include "tests/temporary_folder.h"

namespace priorityd::backups {
namespace {

namespace fs = std::filesystem;

constexpr char kWant[] = "want a value of a backup";

class BackupFolderTest : public ::testing::Test {
 protected:
  // A backup that began so many minutes after an hour.
  Backup Add(int minute, const std::string& reason, bool verified = false) {
    Backup backup;
    backup.begun_at = absl::FromUnixSeconds(1'767'571'200) + absl::Minutes(minute);
    backup.name = NameOf(backup.begun_at, reason);
    backup.reason = reason;
    backup.schema_version = 1;
    backup.tables = {{"job", "0 0"}};
    if (verified) backup.verified_at = backup.begun_at;
    const auto path = folder_.Begin(backup.name);
    EXPECT_TRUE(path.ok()) << path.status();
    std::ofstream(*path) << "dump";
    const absl::Status finished = folder_.Finish(&backup);
    EXPECT_TRUE(finished.ok()) << finished;
    EXPECT_EQ(backup.bytes, 4);
    return backup;
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    const auto list = folder_.List();
    EXPECT_TRUE(list.ok()) << list.status();
    for (const Backup& backup : list.value_or(std::vector<Backup>())) names.push_back(backup.name);
    return names;
  }
  size_t Files() const {
    size_t files = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder_.path())) ++files;
    return files;
  }

  std::string ManifestOf(const Backup& backup) const {
    return folder_.path() + "/" + backup.name + ".manifest";
  }

  const TemporaryFolder temporary_;
  BackupFolder folder_{temporary_.path() + "/deep/backups"};
};

TEST_F(BackupFolderTest, WhatIsAddedIsListedInTheOrderOfTimeAndReadableByItsOwnerOnly) {
  EXPECT_TRUE(Names().empty());
  const Backup second = Add(2, kManual);
  const Backup first = Add(1, kBeforeImport);
  EXPECT_EQ(Names(), (std::vector<std::string>{first.name, second.name}));
  EXPECT_EQ(*folder_.Find(""), second);
  EXPECT_EQ(*folder_.Find(first.name), first);
  EXPECT_EQ(folder_.Find("priorityd-20250101T000000Z-manual").status().code(),
            absl::StatusCode::kNotFound);
  struct stat status;
  for (const auto& entry : fs::directory_iterator(folder_.path())) {
    ASSERT_EQ(stat(entry.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u) << entry.path();
  }
  ASSERT_EQ(stat(folder_.path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(BackupFolderTest, ADumpThatWasChangedIsDamaged) {
  const Backup backup = Add(1, kManual);
  // printf dump | sha256sum
  EXPECT_EQ(backup.sha256, "b6ca0868bca6a2926b70aa1a71592038d9030fe26d4214edcfbd6cf41f2f4654");
  EXPECT_TRUE(folder_.CheckDump(backup).ok());
  const auto damage = [&](const std::string& content) {
    std::ofstream(folder_.DumpOf(backup.name)) << content;
    const absl::Status status = folder_.CheckDump(backup);
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    return std::string(status.message());
  };
  EXPECT_TRUE(absl::StrContains(damage("dumb"), ".dump: got ") &&
              absl::StrContains(damage("dumb"), "as the SHA-256, want " + backup.sha256));
  EXPECT_TRUE(absl::StrContains(damage("dump\n"), "got 5 bytes, want 4"));
  Backup old = backup;
  old.sha256.clear();
  std::ofstream(folder_.DumpOf(backup.name)) << "dumb";
  EXPECT_TRUE(folder_.CheckDump(old).ok()) << "of an earlier version";
  fs::remove(folder_.DumpOf(backup.name));
  EXPECT_EQ(folder_.CheckDump(backup).code(), absl::StatusCode::kDataLoss);
}

TEST_F(BackupFolderTest, WhatWasNotFinishedIsNoBackupAndIsCleanedUp) {
  ASSERT_TRUE(folder_.Begin("priorityd-20260105T000000Z-manual").ok());
  EXPECT_TRUE(Names().empty());
  EXPECT_EQ(Files(), 1u);
  const Backup backup = Add(1, kManual);
  EXPECT_EQ(Files(), 2u);
  ASSERT_TRUE(folder_.Begin("priorityd-20260105T000000Z-manual").ok());
  folder_.Abandon("priorityd-20260105T000000Z-manual");
  EXPECT_EQ(Files(), 2u);
  EXPECT_EQ(folder_.Begin(backup.name).status().code(), absl::StatusCode::kAlreadyExists);
}

TEST_F(BackupFolderTest, TheNewestOfEachReasonAndTheNewestVerifiedAreKept) {
  const Backup verified_before = Add(1, kManual, /*verified=*/true);
  const Backup verified = Add(2, kManual, /*verified=*/true);
  const Backup import = Add(3, kBeforeImport);
  const Backup old = Add(4, kManual);
  const Backup kept = Add(5, kManual);
  const Backup newest = Add(6, kManual);
  const Expired expired = folder_.Expire(2);
  EXPECT_EQ(expired.deleted, (std::vector<std::string>{old.name, verified_before.name}));
  EXPECT_EQ(Names(),
            (std::vector<std::string>{verified.name, import.name, kept.name, newest.name}));
  EXPECT_EQ(Files(), 8u);
}

// A file system's root and network file systems answer so.
TEST_F(BackupFolderTest, AFolderThatCannotBeReadIsNamedWithTheReason) {
  const auto unreadable = [&](const absl::Status& status, const std::string& why) {
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
    EXPECT_EQ(status.message(), "backup_dir: got " + folder_.path() + ": " + why +
                                    ", want a folder that priorityd can read and write");
  };
  const Backup first = Add(1, kManual);
  Add(2, kManual);
  {
    const FailingDirectories failing(EIO);
    unreadable(folder_.Begin("priorityd-20260105T000300Z-manual").status(), "Input/output error");
  }
  {
    const FailingDirectories failing(ESTALE);
    unreadable(folder_.List().status(), "Stale file handle");
  }
  fs::remove(ManifestOf(first));
  fs::create_symlink(ManifestOf(first), ManifestOf(first));
  unreadable(folder_.Begin(first.name).status(), "Too many levels of symbolic links");
  fs::remove_all(folder_.path());
  fs::create_symlink(folder_.path(), folder_.path());
  unreadable(folder_.Begin(first.name).status(), "Too many levels of symbolic links");
  unreadable(folder_.List().status(), "Too many levels of symbolic links");
}

TEST_F(BackupFolderTest, AFolderOfAnotherUserIsNamed) {
  fs::create_directories(folder_.path());
  fs::permissions(folder_.path(), fs::perms::none);
  const uid_t self = geteuid();
  if (self == 0) {
    ASSERT_EQ(seteuid(65534), 0);
  }
  const absl::Status begun = folder_.Begin("priorityd-20260105T000000Z-manual").status();
  const absl::Status listed = folder_.List().status();
  ASSERT_EQ(seteuid(self), 0);
  fs::permissions(folder_.path(), fs::perms::owner_all);
  for (const absl::Status& status : {begun, listed}) {
    EXPECT_EQ(status.message(), "backup_dir: got " + folder_.path() +
                                    ": Permission denied, want a folder that priorityd can read "
                                    "and write");
  }
}

// A link to nothing is listed and cannot be opened, as a file that is deleted in between.
TEST_F(BackupFolderTest, AManifestThatIsDeletedBeforeItIsReadIsNoBackup) {
  const Backup kept = Add(2, kManual);
  fs::create_symlink("deleted", folder_.path() + "/priorityd-20260105T000100Z-manual.manifest");
  EXPECT_EQ(Names(), (std::vector<std::string>{kept.name}));
}

TEST_F(BackupFolderTest, ADamagedManifestIsListedAndHindersNoOther) {
  const Backup good = Add(1, kManual);
  const Backup newer = Add(2, kManual);
  std::ofstream(ManifestOf(newer));
  const Backup import = Add(3, kBeforeImport);
  std::ofstream(ManifestOf(import)) << "non\xff\n";
  const Backup newest = Add(4, kManual);
  fs::remove(ManifestOf(newest));
  fs::create_directory(ManifestOf(newest));
  const auto list = folder_.List();
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_EQ(*list,
            (std::vector<Backup>{
                good,
                Damaged(newer.name, newer.name + ".manifest:1: got \"\", " + kWant),
                Damaged(import.name, import.name + ".manifest:1: got \"non\\xff\", " + kWant),
                Damaged(newest.name, ManifestOf(newest) + ": Is a directory"),
            }));
  EXPECT_EQ(*folder_.Find(""), good);
  EXPECT_EQ(*folder_.Find(good.name), good);
  EXPECT_EQ(folder_.Find(newer.name).status(), absl::DataLossError(list->at(1).fault));
}

TEST_F(BackupFolderTest, WithDamagedManifestsOnlyTheNewestIsNamed) {
  for (const Backup& backup : {Add(1, kManual), Add(2, kManual)}) std::ofstream(ManifestOf(backup));
  EXPECT_EQ(folder_.Find("").status(), absl::DataLossError(folder_.List()->back().fault));
}

TEST_F(BackupFolderTest, ADamagedBackupIsNeitherCountedNorDeleted) {
  std::vector<Backup> backups;
  for (int minute = 0; minute < 4; ++minute) backups.push_back(Add(minute, kManual));
  std::ofstream(ManifestOf(backups[0]));
  std::ofstream(ManifestOf(backups[3]));
  const Expired expired = folder_.Expire(1);
  EXPECT_EQ(expired.deleted, (std::vector<std::string>{backups[1].name}));
  EXPECT_EQ(expired.faults.size(), 2u);
  EXPECT_EQ(Names(), (std::vector<std::string>{backups[0].name, backups[2].name, backups[3].name}));
  EXPECT_EQ(Files(), 6u);
}

TEST_F(BackupFolderTest, ADumpThatCannotBeDeletedKeepsItsManifestAndNoOtherBackup) {
  std::vector<Backup> backups;
  for (int minute = 0; minute < 4; ++minute) backups.push_back(Add(minute, kManual));
  const std::string dump = folder_.DumpOf(backups[1].name);
  fs::remove(dump);
  fs::create_directory(dump);
  const Expired expired = folder_.Expire(1);
  EXPECT_EQ(expired.deleted, (std::vector<std::string>{backups[2].name, backups[0].name}));
  EXPECT_EQ(expired.faults,
            (std::vector<std::string>{"backup: cannot delete " + dump + ": Is a directory"}));
  EXPECT_EQ(Names(), (std::vector<std::string>{backups[1].name, backups[3].name}));
  EXPECT_EQ(Files(), 4u);
}

}  // namespace
}  // namespace priorityd::backups
