#include "server/backups/backups.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "engine/errors/error_details.h"
#include "storage/embedded_postgres/embedded_postgres.h"

namespace priorityd::backups {
namespace {

namespace fs = std::filesystem;

absl::Status BusyError() {
  return errors::WithReason(
      absl::UnavailableError("backup: another one is being made or verified; retry"),
      "BACKUP_IN_PROGRESS");
}

// A folder for one restore.
class ScratchFolder {
 public:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) { Delete(); }
  ~ScratchFolder() { Delete(); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

 private:
  void Delete() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  const std::string path_;
};

}  // namespace

absl::StatusOr<Backup> Backups::Create(const std::string& reason) {
  if (!mutex_.TryLock()) return BusyError();
  auto backup = CreateAlone(reason);
  mutex_.Unlock();
  return backup;
}

absl::Status Backups::CreateBefore(const std::string& what, const std::string& reason) {
  if (!makes_its_own()) return absl::OkStatus();
  absl::MutexLock lock(&mutex_);
  const auto backup = CreateAlone(reason);
  if (backup.ok()) return absl::OkStatus();
  if (absl::IsCancelled(backup.status())) {
    return absl::UnavailableError(
        absl::StrCat("the service is stopping: nothing was done: ", what, " begins with a backup"));
  }
  return absl::Status(
      backup.status().code(),
      absl::StrCat(std::string(backup.status().message()), ": nothing was done: ", what,
                   " begins with a backup; make room, or start priorityd with --backup_keep=0"));
}

absl::StatusOr<Backup> Backups::CreateAlone(const std::string& reason) {
  const std::string name = NameOf(absl::Now(), reason);
  auto path = folder_.Begin(name);
  if (!path.ok()) return path.status();
  const storage::ReadContext::Scope scope(&until_stop_);
  auto backup = Dump(options_.origin, *path);
  absl::Status status = backup.status();
  if (status.ok()) {
    backup->name = name;
    backup->reason = reason;
    status = folder_.Finish(&*backup);
  }
  if (!status.ok()) {
    folder_.Abandon(name);
    return status;
  }
  spdlog::info("backup: {} has {} bytes", name, backup->bytes);
  if (!makes_its_own()) return backup;
  const Expired expired = folder_.Expire(options_.keep);
  for (const std::string& old : expired.deleted) spdlog::info("backup: {} is deleted", old);
  for (const std::string& fault : expired.faults) spdlog::warn("{}", fault);
  return backup;
}

absl::StatusOr<absl::Time> Backups::NewestBegin() const {
  const auto backups = List();
  if (!backups.ok()) return backups.status();
  absl::Time newest = absl::UnixEpoch();
  for (const Backup& backup : *backups) {
    if (backup.fault.empty()) newest = std::max(newest, backup.begun_at);
  }
  return newest;
}

absl::StatusOr<Backup> Backups::Verify(const std::string& name) {
  if (!mutex_.TryLock()) return BusyError();
  auto backup = VerifyAlone(name);
  mutex_.Unlock();
  return backup;
}

absl::StatusOr<Backup> Backups::VerifyAlone(const std::string& name) {
  auto backup = folder_.Find(name);
  if (!backup.ok()) return backup.status();
  if (absl::Status s = folder_.CheckDump(*backup); !s.ok()) {
    spdlog::error("{}", std::string(s.message()));
    return s;
  }
  const ScratchFolder scratch(options_.scratch);
  auto target = storage::EmbeddedPostgres::Start({.data_dir = options_.scratch, .durable = false});
  if (!target.ok()) return target.status();
  const storage::ReadContext::Scope scope(&until_stop_);
  absl::Status same = RestoreAndCompare(folder_.DumpOf(backup->name), *backup, **target);
  if (absl::IsCancelled(same)) return same;
  if (!same.ok()) {
    spdlog::error("{}", std::string(same.message()));
    return same;
  }
  backup->verified_at = absl::Now();
  if (absl::Status s = folder_.Write(*backup); !s.ok()) return s;
  spdlog::info("backup: {} is verified", backup->name);
  return backup;
}

}  // namespace priorityd::backups
