// Connection poolers between the replicas and PostgreSQL.
#ifndef STORAGE_POOLER_H_
#define STORAGE_POOLER_H_

#include "absl/status/status.h"
#include "storage/database.h"

namespace priorityd::storage {

// FAILED_PRECONDITION, in one line, if a pooler (pgbouncer) gives connections for the length of
// a transaction: locks, LISTEN and settings of a session would then be lost or somebody
// else's. UNAVAILABLE: the database. A pooler in session mode will do.
absl::Status CheckPooler(const Database& database);

}  // namespace priorityd::storage

#endif  // STORAGE_POOLER_H_
