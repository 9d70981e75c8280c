// Dumps of a running database, and restores of them.
#ifndef PRIORITYD_SERVER_BACKUPS_DUMP_H_
#define PRIORITYD_SERVER_BACKUPS_DUMP_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/backups/backup.h"
#include "storage/embedded_postgres/embedded_postgres.h"

namespace priorityd::backups {

// A server's database, and the directory of its programs.
struct Origin {
  std::string url;
  std::string programs;
};

// Writes a dump into the existing file `path`, and returns the content at the same moment:
// begun_at, schema_version and tables. FAILED_PRECONDITION with the last line of pg_dump, such as
// that the disk is full; UNAVAILABLE: the database. Ends with the error of the thread's
// storage::ReadContext soon after the result is no longer needed.
absl::StatusOr<Backup> Dump(const Origin& origin, const std::string& path);

// Restores a dump into the empty database of `target`, compares every table with `backup`, migrates
// the schema, and sums up each cluster's usage again from the ledger. DATA_LOSS if anything differs
// or the dump is damaged; FAILED_PRECONDITION with the last line of pg_restore. Ends as Dump does,
// but not within the migration.
absl::Status RestoreAndCompare(const std::string& dump, const Backup& backup,
                               const storage::EmbeddedPostgres& target);

}  // namespace priorityd::backups

#endif  // PRIORITYD_SERVER_BACKUPS_DUMP_H_
