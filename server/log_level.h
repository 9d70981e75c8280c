// What is logged, which an operator changes in a running server.
#ifndef PRIORITYD_SERVER_LOG_LEVEL_H_
#define PRIORITYD_SERVER_LOG_LEVEL_H_

#include <spdlog/common.h>

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace priorityd {

// trace, debug, info, warn or error; INVALID_ARGUMENT otherwise.
absl::StatusOr<spdlog::level::level_enum> ParseLogLevel(absl::string_view name);

// The level of the default logger. Not thread-safe.
class LogLevel {
 public:
  // `usual`: where `file` is not there; empty = there is none.
  LogLevel(spdlog::level::level_enum usual, std::string file)
      : usual_(usual), file_(std::move(file)) {}

  // Sets what the file says by now, its first word. A file that says anything else changes
  // nothing. Logs what became of it.
  void Read() const;

 private:
  absl::StatusOr<spdlog::level::level_enum> Wanted() const;

  const spdlog::level::level_enum usual_;
  const std::string file_;
};

}  // namespace priorityd

#endif  // PRIORITYD_SERVER_LOG_LEVEL_H_
