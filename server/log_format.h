// How the log is written.
#ifndef PRIORITYD_SERVER_LOG_FORMAT_H_
#define PRIORITYD_SERVER_LOG_FORMAT_H_

namespace priorityd {

// Sends the log to stderr, a line per entry: as text, or as one JSON object with
// time (RFC 3339, UTC), level and message.
void SetUpLog(bool json);

}  // namespace priorityd

#endif  // PRIORITYD_SERVER_LOG_FORMAT_H_
