// The changes that SIGHUP makes.
#ifndef PRIORITYD_SERVER_RELOAD_H_
#define PRIORITYD_SERVER_RELOAD_H_

#include "absl/status/statusor.h"
#include "server/flags/flags.h"
#include "server/logging/log_level.h"

namespace priorityd {

// The log level of the flags and of the file of --log_level_file.
absl::StatusOr<logging::LogLevel> LogLevelOf(const flags::Flags& flags);

// Sets the log level of the flags read `again`, and logs which other settings of the configuration
// file differ from the `running` ones: they need a restart. Logs the reason that `again` cannot be
// read, and then sets the log level only by the file of --log_level_file.
void Reload(const flags::Flags& running, const absl::StatusOr<flags::Flags>& again,
            logging::LogLevel* level);

}  // namespace priorityd

#endif  // PRIORITYD_SERVER_RELOAD_H_
