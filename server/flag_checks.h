// Whether flags go together, once each one has been read.
#ifndef PRIORITYD_SERVER_FLAG_CHECKS_H_
#define PRIORITYD_SERVER_FLAG_CHECKS_H_

#include <string>

#include "absl/status/status.h"
#include "server/flags.h"

namespace priorityd {

// Command lines are shown to all who list processes: a password belongs into a file or the
// environment.
inline constexpr char kDatabaseVariable[] = "PRIORITYD_DATABASE_URL";

// INVALID_ARGUMENT: the first line of `message`, and where to look.
absl::Status UsageError(std::string message);

// Sets the database's URL from `url_file` and the largest message from the memory budget, where
// they are not given, and checks what goes together. INVALID_ARGUMENT: one line that says what is
// wrong.
absl::Status CheckFlags(const std::string& url_file, Flags* flags);

}  // namespace priorityd

#endif  // PRIORITYD_SERVER_FLAG_CHECKS_H_
