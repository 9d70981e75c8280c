// The files and directories of an embedded PostgreSQL server.
#ifndef STORAGE_EMBEDDED_POSTGRES_POSTGRES_LAYOUT_H_
#define STORAGE_EMBEDDED_POSTGRES_POSTGRES_LAYOUT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/embedded_postgres/child_process.h"
#include "storage/embedded_postgres/postgres_installation.h"

namespace priorityd::storage {

struct PostgresLayout {
  std::string root;        // data_dir, absolute, without links
  std::string cluster;     // PostgreSQL's data directory
  std::string log;         // what its programs print
  std::string socket_dir;  // where the server's socket is
};

// Creates data_dir, with its parents, and returns it absolute and without
// links.
absl::StatusOr<std::string> MakeDataDir(const std::string& data_dir, const PostgresUser& user);

// Makes all of the layout but the cluster: an empty socket directory, and a
// log that is not too long. REQUIRES: the lock on `root`, and no server runs.
absl::StatusOr<PostgresLayout> MakeLayout(const std::string& root, const PostgresUser& user);

// Makes the cluster with initdb, if there is none.
absl::Status MakeCluster(const PostgresLayout& layout, const PostgresUser& user, bool durable);

// The major version that made the cluster.
std::string VersionOf(const PostgresLayout& layout);

// The directory of the programs of the version that made the cluster. FAILED_PRECONDITION, saying
// what to install and how to upgrade, if they are not installed.
absl::StatusOr<std::string> ProgramsOf(const PostgresLayout& layout);

// The command that runs the server in the foreground.
Command ServerCommand(const PostgresLayout& layout, const std::string& programs,
                      const PostgresUser& user, bool durable);

// The connection URL of a database of the server.
std::string DatabaseUrl(const PostgresLayout& layout, const std::string& database);

// Removes files that are useless without a running server.
void RemoveSocketDir(const PostgresLayout& layout);

}  // namespace priorityd::storage

#endif  // STORAGE_EMBEDDED_POSTGRES_POSTGRES_LAYOUT_H_
