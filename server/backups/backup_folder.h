// The folder of the backups.
#ifndef PRIORITYD_SERVER_BACKUPS_BACKUP_FOLDER_H_
#define PRIORITYD_SERVER_BACKUPS_BACKUP_FOLDER_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/backups/backup.h"

namespace priorityd::backups {

struct Expired {
  std::vector<std::string> deleted;  // Names.
  std::vector<std::string> faults;   // Of backups that cannot be read or deleted.
};

// NAME.dump, in pg_dump's custom format, and NAME.manifest, which is written last: a backup without
// it does not exist. Everything is readable by the owner only. A file is complete or named
// NAME.dump.part or NAME.manifest.part. FAILED_PRECONDITION, naming backup_dir, where the folder
// cannot be read. Not thread-safe.
class BackupFolder {
 public:
  explicit BackupFolder(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  std::string DumpOf(const std::string& name) const;

  // Creates the folder if it is missing, deletes parts of interrupted backups, and creates an empty
  // file for the dump; returns its path. ALREADY_EXISTS if there is a backup of that name.
  absl::StatusOr<std::string> Begin(const std::string& name);

  // Makes the dump that Begin named a backup, with its size and SHA-256. It is on disk when this
  // returns.
  absl::Status Finish(Backup* backup);

  // DATA_LOSS if the dump is missing, or has not the size and the SHA-256 with which it was made.
  absl::Status CheckDump(const Backup& backup) const;

  // Deletes what Begin created.
  void Abandon(const std::string& name);

  // Oldest first, with the Damaged. Empty without a folder.
  absl::StatusOr<std::vector<Backup>> List() const;

  // NOT_FOUND (UNKNOWN_BACKUP) for an unknown name; empty = the newest that is not Damaged.
  // DATA_LOSS with the fault of the Damaged if there is no other.
  absl::StatusOr<Backup> Find(const std::string& name) const;

  // Replaces the manifest.
  absl::Status Write(const Backup& backup);

  // Deletes the backups that are not among the `keep` newest of their reason; never the newest one
  // that was verified. The Damaged are neither counted nor deleted. One that cannot be deleted
  // keeps no other.
  Expired Expire(int keep);

 private:
  absl::Status Delete(const std::string& name);
  std::string ManifestOf(const std::string& name) const;

  const std::string path_;
};

}  // namespace priorityd::backups

#endif  // PRIORITYD_SERVER_BACKUPS_BACKUP_FOLDER_H_
