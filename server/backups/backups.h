// The backups of the embedded database.
#ifndef PRIORITYD_SERVER_BACKUPS_BACKUPS_H_
#define PRIORITYD_SERVER_BACKUPS_BACKUPS_H_

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/backups/backup.h"
#include "server/backups/backup_folder.h"
#include "server/backups/dump.h"
#include "storage/database/read_context.h"

namespace priorityd::backups {

struct BackupOptions {
  Origin origin;
  std::string folder;   // See BackupFolder.
  std::string scratch;  // A data_dir for restores; deleted before and after each.
  int keep = 14;        // Of each reason; 0 = make none by itself, delete none.
};

// Thread-safe. One backup is made or verified at a time: UNAVAILABLE meanwhile.
class Backups {
 public:
  explicit Backups(BackupOptions options)
      : options_(std::move(options)), folder_(options_.folder) {}

  // Makes a backup while the database is in use, and deletes the ones that are no longer kept: logs
  // those that cannot be read or deleted. Leaves no part of one that failed. `reason`: one of
  // backup.h. Errors of Dump; errors of the file system.
  absl::StatusOr<Backup> Create(const std::string& reason) ABSL_LOCKS_EXCLUDED(mutex_);

  // Create, unless backups are not made by itself. The error says what was to be done: `what`.
  absl::Status CreateBefore(const std::string& what, const std::string& reason)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Restores a backup (empty = the newest that is not Damaged) into a server of its own, compares
  // it, and marks it as verified. Errors of BackupFolder::Find, CheckDump and RestoreAndCompare.
  absl::StatusOr<Backup> Verify(const std::string& name) ABSL_LOCKS_EXCLUDED(mutex_);

  // Ends the backup that is being made or verified, with CANCELLED, and each later one. For a stop
  // of the service, which would wait for it.
  void Stop() { stops_ = true; }

  // Oldest first, with the Damaged.
  absl::StatusOr<std::vector<Backup>> List() const { return folder_.List(); }

  // The begin of the newest that is not Damaged; the epoch = there is none. Errors of List.
  absl::StatusOr<absl::Time> NewestBegin() const;

  std::string DumpOf(const std::string& name) const { return folder_.DumpOf(name); }
  const std::string& folder() const { return folder_.path(); }
  bool makes_its_own() const { return options_.keep > 0; }

 private:
  absl::StatusOr<Backup> CreateAlone(const std::string& reason)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<Backup> VerifyAlone(const std::string& name) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const BackupOptions options_;
  std::atomic<bool> stops_ = false;
  const storage::ReadContext until_stop_{absl::InfiniteDuration(),
                                         [this] { return stops_.load(); }};
  absl::Mutex mutex_;
  BackupFolder folder_;  // Written under mutex_; lists are read at any time.
};

}  // namespace priorityd::backups

#endif  // PRIORITYD_SERVER_BACKUPS_BACKUPS_H_
