// The changes that SIGHUP makes.
#ifndef PRIORITYD_SERVER_RELOAD_H_
#define PRIORITYD_SERVER_RELOAD_H_

#include "absl/status/statusor.h"
#include "server/flags.h"
#include "server/log_level.h"

namespace priorityd {

// The log level of the flags and of the file of --log_level_file.
absl::StatusOr<LogLevel> LogLevelOf(const Flags& flags);

// Sets the log level of the flags read `again`, and logs which other settings of the configuration
// file differ from the `running` ones: they need a restart. Logs the reason that `again` cannot be
// read, and then sets the log level only by the file of --log_level_file.
void Reload(const Flags& running, const absl::StatusOr<Flags>& again, LogLevel* level);

}  // namespace priorityd

#endif  // PRIORITYD_SERVER_RELOAD_H_
