// The activity of a pool of connections, for monitoring.
#ifndef STORAGE_DATABASE_DATABASE_ACTIVITY_H_
#define STORAGE_DATABASE_DATABASE_ACTIVITY_H_

#include <cstdint>

namespace priorityd::storage {

struct DatabaseActivity {
  // At this moment.
  int most = 0;  // Connections open at the same time.
  int in_use = 0;
  int idle = 0;
  int waiting = 0;  // Callers that wait for a connection.

  // Since the Database was made.
  int64_t opened = 0;              // Connections.
  int64_t not_opened = 0;          // Failed attempts to connect.
  int64_t lost = 0;                // Connections that broke.
  int64_t refused = 0;             // Callers that got no connection in time.
  int64_t conflicts = 0;           // Transactions with a conflict.
  int64_t statement_failures = 0;  // Transactions that failed otherwise.
};

}  // namespace priorityd::storage

#endif  // STORAGE_DATABASE_DATABASE_ACTIVITY_H_
