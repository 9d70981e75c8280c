// Whether flags go together, once each one has been read.
#ifndef PRIORITYD_SERVER_FLAGS_FLAG_CHECKS_H_
#define PRIORITYD_SERVER_FLAGS_FLAG_CHECKS_H_

#include <string>

#include "absl/status/status.h"
#include "server/flags/flags.h"

namespace priorityd::flags {

// Every user of a host can list its command lines: a password belongs in a file or the environment.
inline constexpr char kDatabaseVariable[] = "PRIORITYD_DATABASE_URL";
inline constexpr char kReportsDatabaseVariable[] = "PRIORITYD_REPORTS_DATABASE_URL";

// Files of --database_url_file and --reports_database_url_file; empty = not given.
struct UrlFiles {
  std::string database;
  std::string reports;
};

// INVALID_ARGUMENT: `message` on one line, with a pointer to --help.
absl::Status UsageError(std::string message);

// Sets the databases' URLs from `url_files` and the largest message from the memory budget where
// the flags give none, and checks flags that depend on each other. INVALID_ARGUMENT: one line with
// the reason.
absl::Status CheckFlags(const UrlFiles& url_files, Flags* flags);

}  // namespace priorityd::flags

#endif  // PRIORITYD_SERVER_FLAGS_FLAG_CHECKS_H_
