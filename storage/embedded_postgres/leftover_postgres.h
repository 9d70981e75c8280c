// Finds and stops PostgreSQL processes left over from a program that died.
#ifndef STORAGE_EMBEDDED_POSTGRES_LEFTOVER_POSTGRES_H_
#define STORAGE_EMBEDDED_POSTGRES_LEFTOVER_POSTGRES_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace priorityd::storage {

// The processes named "postgres" that run in `directory` (an absolute path
// without links), as every process of a server does in its data directory.
std::vector<pid_t> PostgresProcessesIn(const std::string& directory);

// Stops them: politely, and by force after 30 s. Then removes postmaster.pid if
// its number is by now that of another program, which PostgreSQL would take
// for a running server. REQUIRES: the lock on the data directory.
// FAILED_PRECONDITION if some cannot be stopped.
absl::Status StopLeftoverPostgres(const std::string& directory);

}  // namespace priorityd::storage

#endif  // STORAGE_EMBEDDED_POSTGRES_LEFTOVER_POSTGRES_H_
