// Moves the embedded database to a newer version of PostgreSQL.
#ifndef PRIORITYD_SERVER_BACKUPS_POSTGRES_UPGRADE_H_
#define PRIORITYD_SERVER_BACKUPS_POSTGRES_UPGRADE_H_

#include "absl/status/status.h"
#include "server/backups/backups.h"
#include "storage/embedded_postgres/embedded_postgres.h"

namespace priorityd::backups {

// Makes a backup of the running `postgres`, restores it into a data directory of the newest
// installed version, and compares it as Backups::Verify does. Then stops `postgres`, and puts the
// new directory in the place of the old one, which stays as DATA_DIR/postgres-VERSION. Until that
// last step, a single rename, nothing has changed; a run that was interrupted begins again. OK,
// without any change, if the version is the newest. Nothing else may use the database. Errors of
// Backups::Create and RestoreAndCompare; FAILED_PRECONDITION if DATA_DIR/postgres-VERSION exists.
absl::Status UpgradePostgres(Backups* backups, storage::EmbeddedPostgres* postgres);

}  // namespace priorityd::backups

#endif  // PRIORITYD_SERVER_BACKUPS_POSTGRES_UPGRADE_H_
