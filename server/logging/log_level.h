// The log level, which an operator can change while the server runs.
#ifndef PRIORITYD_SERVER_LOGGING_LOG_LEVEL_H_
#define PRIORITYD_SERVER_LOGGING_LOG_LEVEL_H_

#include <spdlog/common.h>

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace priorityd::logging {

// Accepts trace, debug, info, warn or error. INVALID_ARGUMENT for other names.
absl::StatusOr<spdlog::level::level_enum> ParseLogLevel(absl::string_view name);

// The level of the default logger. Not thread-safe.
class LogLevel {
 public:
  // `usual`: the level while `file` does not exist. Empty `file` = no file.
  LogLevel(spdlog::level::level_enum usual, std::string file)
      : usual_(usual), file_(std::move(file)) {}

  // Sets the level that the first word of the file names. A file with another word changes nothing.
  // Logs the change or the error.
  void Read() const;

 private:
  absl::StatusOr<spdlog::level::level_enum> Wanted() const;

  spdlog::level::level_enum usual_;
  std::string file_;
};

}  // namespace priorityd::logging

#endif  // PRIORITYD_SERVER_LOGGING_LOG_LEVEL_H_
