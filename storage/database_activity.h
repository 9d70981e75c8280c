// The activity of a pool of connections, for monitoring.
#ifndef STORAGE_DATABASE_ACTIVITY_H_
#define STORAGE_DATABASE_ACTIVITY_H_

#include <cstdint>

namespace priorityd::storage {

struct DatabaseActivity {
  // At this moment.
  int most = 0;  // Connections open at the same time.
  int in_use = 0;
  int idle = 0;
  int waiting = 0;  // Callers who wait for a connection.

  // Since the Database was made.
  int64_t opened = 0;              // Connections.
  int64_t not_opened = 0;          // Tries that failed.
  int64_t lost = 0;                // Connections that broke.
  int64_t refused = 0;             // Callers for whom none became free in time.
  int64_t conflicts = 0;           // Transactions that met another one.
  int64_t statement_failures = 0;  // Transactions that failed otherwise.
};

}  // namespace priorityd::storage

#endif  // STORAGE_DATABASE_ACTIVITY_H_
