// Migrates the schema `priorityd` of a database to the version of this program.
#ifndef STORAGE_SCHEMA_MIGRATION_H_
#define STORAGE_SCHEMA_MIGRATION_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "storage/database/database.h"

namespace priorityd::storage {

// One file of migrations/, as compiled into the program.
struct Migration {
  int version = 0;  // the file name's number: 1, 2, ... without gaps
  const char* name = "";
  const char* sql = "";
};

absl::Span<const Migration> AllMigrations();

// The oldest program that works with the schema after this migration, by the newest
// migration it knows: what the file says in a line `-- compatible-from: 11`, else the
// migration's own version. A migration that only adds what older programs do not look at
// expands; one that takes away what they need contracts, and comes a release later.
int CompatibleFrom(const Migration& migration);

// Whether the file says `-- contracts`: it takes away what programs older than
// CompatibleFrom need, so it waits until it is asked for.
bool Contracts(const Migration& migration);

// Whether the file says `-- outside-transaction`: it builds indexes beside the traffic
// (index_build.h), and may be run again when it was killed.
bool RunsOutsideTransaction(const Migration& migration);

struct MigrationOptions {
  // Also those that contract. A new database gets them in any case: no older program is on it.
  bool contract = false;
  // The longest time that one attempt waits for a lock of the tables; later statements on them wait
  // as long.
  absl::Duration lock_timeout = absl::Seconds(2);
  // The time between attempts.
  absl::Duration pause = absl::Seconds(1);
  // The time without a lock after which it gives up.
  absl::Duration patience = absl::Minutes(5);
};

// Whether Migrate would change a database that has a schema already.
absl::StatusOr<bool> NeedsMigration(Database& database,
                                    absl::Span<const Migration> migrations = AllMigrations(),
                                    const MigrationOptions& options = {});

// Applies the missing migrations, each in a transaction of its own if it runs in one, while other
// programs use the database; several may do it at once. Running it again changes nothing.
// FAILED_PRECONDITION if the database has a version this program does not know, and that one is not
// compatible with it. UNAVAILABLE (IsLockTimeout) if another process keeps a table locked.
absl::Status Migrate(Database& database, absl::Span<const Migration> migrations = AllMigrations(),
                     const MigrationOptions& options = {});

}  // namespace priorityd::storage

#endif  // STORAGE_SCHEMA_MIGRATION_H_
