// Connection poolers between the replicas and PostgreSQL.
#ifndef STORAGE_DATABASE_POOLER_H_
#define STORAGE_DATABASE_POOLER_H_

#include "absl/status/status.h"
#include "storage/database/database.h"

namespace priorityd::storage {

// FAILED_PRECONDITION, in one line, if a pooler (pgbouncer) is in transaction mode: locks, LISTEN
// and settings of a session would then be lost or belong to other clients. UNAVAILABLE: an error of
// the database. A pooler in session mode is accepted.
absl::Status CheckPooler(const Database& database);

}  // namespace priorityd::storage

#endif  // STORAGE_DATABASE_POOLER_H_
