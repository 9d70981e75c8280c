// Whether flags go together, once each one has been read.
#ifndef PRIORITYD_SERVER_FLAG_CHECKS_H_
#define PRIORITYD_SERVER_FLAG_CHECKS_H_

#include <string>

#include "absl/status/status.h"
#include "server/flags.h"

namespace priorityd {

// Every user of a host can list its command lines: a password belongs in a file or the environment.
inline constexpr char kDatabaseVariable[] = "PRIORITYD_DATABASE_URL";

// INVALID_ARGUMENT: `message` on one line, with a pointer to --help.
absl::Status UsageError(std::string message);

// Sets the database's URL from `url_file` and the largest message from the memory budget where the
// flags give none, and checks flags that depend on each other. INVALID_ARGUMENT: one line with the
// reason.
absl::Status CheckFlags(const std::string& url_file, Flags* flags);

}  // namespace priorityd

#endif  // PRIORITYD_SERVER_FLAG_CHECKS_H_
