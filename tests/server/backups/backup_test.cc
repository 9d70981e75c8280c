#include "server/backups/backup.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/match.h"

namespace priorityd::backups {
namespace {

Backup Example() {
  Backup backup;
  backup.begun_at = absl::FromUnixMicros(1'767'571'200'123'456);
  backup.name = NameOf(backup.begun_at, kBeforeImport);
  backup.bytes = 1234567890123;
  backup.sha256 = std::string(64, 'e');
  backup.reason = kBeforeImport;
  backup.schema_version = 39;
  backup.tables = {{"job", "0 0"}, {"usage_record", "12 -8812345678901234567890"}};
  return backup;
}

TEST(BackupTest, WhatIsWrittenDownIsReadAgain) {
  Backup backup = Example();
  EXPECT_EQ(backup.name, "priorityd-20260105T000000Z-import");
  for (int i = 0; i < 2; ++i) {
    const auto read = FromText(backup.name, ToText(backup));
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(*read, backup);
    backup.verified_at = backup.begun_at + absl::Hours(1);
  }
}

TEST(BackupTest, ADamagedManifestIsNamedWithItsLine) {
  const std::string text = ToText(Example());
  for (size_t cut = 1; cut + 1 < text.size(); ++cut) {
    const auto read = FromText("n", text.substr(0, cut));
    if (read.ok()) {
      EXPECT_NE(read->tables, Example().tables);  // The end of a line.
    } else {
      EXPECT_EQ(read.status().code(), absl::StatusCode::kDataLoss);
      EXPECT_TRUE(absl::StrContains(read.status().message(), "n.manifest"));
    }
  }
  EXPECT_FALSE(FromText("n", text + "more 1\n").ok());
  EXPECT_FALSE(FromText("n", text + "sha256 e\n").ok());
  EXPECT_FALSE(FromText("n", "").ok());
}

TEST(BackupTest, OfADamagedBackupItsNameSaysWhenAndWhy) {
  const Backup damaged = Damaged("priorityd-20260105T000000Z-import", "cut");
  EXPECT_EQ(damaged.begun_at, absl::FromUnixSeconds(1'767'571'200));
  EXPECT_EQ(damaged.reason, kBeforeImport);
  EXPECT_EQ(damaged.fault, "cut");
  // A name has digits that need not be a time.
  EXPECT_EQ(Damaged("priorityd-99999999T999999Z-manual", "cut").begun_at, absl::UnixEpoch());
}

TEST(BackupTest, OnlyNamesOfBackupsAreNames) {
  EXPECT_TRUE(IsBackupName("priorityd-20260105T000000Z-manual"));
  for (const char* name :
       {"", "priorityd-", "priorityd-20260105T000000Z", "priorityd-20260105T000000Z-",
        "priorityd-20260105T000000Z-other", "priorityd-20260105T000000Z-manual/../x",
        "../priorityd-20260105T000000Z-manual", "priorityd-2026010xT000000Z-manual",
        "priorityd-20260105T000000Z/manual", "x-20260105T000000Z-manual"}) {
    EXPECT_FALSE(IsBackupName(name)) << name;
  }
}

}  // namespace
}  // namespace priorityd::backups
