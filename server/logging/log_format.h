// The formats of the log.
#ifndef PRIORITYD_SERVER_LOGGING_LOG_FORMAT_H_
#define PRIORITYD_SERVER_LOGGING_LOG_FORMAT_H_

#include <spdlog/formatter.h>

#include <memory>
#include <string>

namespace priorityd::logging {

// Writes one line per entry: text, or a JSON object with time (RFC 3339, UTC), level, message and
// the fields of the entry (log_fields.h).
std::unique_ptr<spdlog::formatter> MakeLogFormatter(bool json);

// Sets the default logger: to stderr as `text` or `json`, or to systemd's `journal`.
void SetUpLog(const std::string& format);

}  // namespace priorityd::logging

#endif  // PRIORITYD_SERVER_LOGGING_LOG_FORMAT_H_
