// A message as one line of a log.
#ifndef PRIORITYD_SERVER_LOG_LINE_H_
#define PRIORITYD_SERVER_LOG_LINE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace priorityd {

// `text` without the characters that would end the line or steer a terminal: control
// characters become \n, \t, \r, \x1b and so on, a backslash stays. What users name stands in
// messages, and must not write lines of its own.
std::string LogLine(absl::string_view text);

// As the inside of a JSON string.
std::string JsonLogLine(absl::string_view text);

}  // namespace priorityd

#endif  // PRIORITYD_SERVER_LOG_LINE_H_
