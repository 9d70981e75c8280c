// Escapes a message to one line of the log.
#ifndef PRIORITYD_SERVER_LOGGING_LOG_LINE_H_
#define PRIORITYD_SERVER_LOGGING_LOG_LINE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace priorityd::logging {

// `text` with the characters escaped that would end the line or control a terminal: control
// characters become \n, \t, \r, \x1b and so on, a backslash stays. Messages contain names that
// users choose, and such a name must not forge a log line.
std::string LogLine(absl::string_view text);

// The same for the inside of a JSON string.
std::string JsonLogLine(absl::string_view text);

}  // namespace priorityd::logging

#endif  // PRIORITYD_SERVER_LOGGING_LOG_LINE_H_
