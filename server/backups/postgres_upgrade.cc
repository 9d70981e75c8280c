#include "server/backups/postgres_upgrade.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "storage/database/database.h"
#include "storage/embedded_postgres/postgres_installation.h"

namespace priorityd::backups {
namespace {

namespace fs = std::filesystem;

void Delete(const std::string& path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

// The planner of a restored database knows nothing yet.
absl::Status Analyze(const storage::EmbeddedPostgres& postgres) {
  storage::Database database({.url = postgres.Url(), .pool_size = 1});
  return database.Write(
      [](storage::Transaction& transaction) { return transaction.ExecuteScript("ANALYZE"); });
}

// Restores the database into a new data_dir, complete and stopped at the end.
absl::StatusOr<std::string> Copy(Backups* backups, const std::string& data_dir) {
  auto backup = backups->Create(kBeforeUpgrade);
  if (!backup.ok()) return backup.status();
  auto target = storage::EmbeddedPostgres::Start({.data_dir = data_dir});
  if (!target.ok()) return target.status();
  absl::Status same = RestoreAndCompare(backups->DumpOf(backup->name), *backup, **target);
  if (same.ok()) same = Analyze(**target);
  if (!same.ok()) return same;
  return (*target)->major_version();
}

// One directory takes the place of the other at once.
absl::Status Exchange(const std::string& one, const std::string& other) {
  if (renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0) {
    return absl::OkStatus();
  }
  return absl::ErrnoToStatus(errno,
                             absl::StrCat("data_dir: cannot exchange ", one, " and ", other));
}

}  // namespace

absl::Status UpgradePostgres(Backups* backups, storage::EmbeddedPostgres* postgres) {
  const std::string old_version = postgres->major_version();
  const auto newest = storage::FindPostgresPrograms("");
  if (!newest.ok()) return newest.status();
  if (*newest == postgres->programs()) {
    spdlog::info("data_dir: PostgreSQL {} is the newest that is installed", old_version);
    return absl::OkStatus();
  }
  const std::string& root = postgres->data_dir();
  const std::string kept = absl::StrCat(root, "/postgres-", old_version);
  std::error_code error;
  if (fs::exists(kept, error) || error) {
    return absl::FailedPreconditionError(
        absl::StrCat("data_dir: got ", kept, error ? ": " : "", error ? error.message() : "",
                     ", want it moved away: the old data are kept there"));
  }
  const std::string copy = root + "/upgrade";
  Delete(copy);
  const auto new_version = Copy(backups, copy);
  absl::Status status = new_version.status();
  if (status.ok()) {
    postgres->Stop();
    status = Exchange(root + "/postgres", copy + "/postgres");
  }
  if (status.ok() && rename((copy + "/postgres").c_str(), kept.c_str()) != 0) {
    status =
        absl::ErrnoToStatus(errno, absl::StrCat("data_dir: cannot keep the old data as ", kept));
  }
  if (!status.ok()) return status;
  Delete(copy);
  sync();
  spdlog::info("data_dir: PostgreSQL {} instead of {}; the old data are in {}", *new_version,
               old_version, kept);
  return absl::OkStatus();
}

}  // namespace priorityd::backups
