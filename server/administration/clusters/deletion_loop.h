// Deletes the rows of clusters that can no longer be restored.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_CLUSTERS_DELETION_LOOP_H_
#define PRIORITYD_SERVER_ADMINISTRATION_CLUSTERS_DELETION_LOOP_H_

#include <functional>

#include "absl/time/time.h"
#include "server/threads/clock.h"
#include "server/threads/periodic_thread.h"
#include "storage/database/database.h"

namespace priorityd::administration {

// Checks for them, and for interrupted deletions, at the start and every kPeriod, on its own
// thread, and logs finished deletions. An error is logged, and the next turn retries.
class DeletionLoop {
 public:
  static constexpr absl::Duration kPeriod = absl::Seconds(10);

  // `leads`: called before each transaction; whether this replica does the work. `database` must
  // outlive the loop.
  DeletionLoop(storage::Database* database, threads::Clock clock, std::function<bool()> leads);
  // Finishes the running transaction.
  ~DeletionLoop();
  DeletionLoop(const DeletionLoop&) = delete;
  DeletionLoop& operator=(const DeletionLoop&) = delete;

  // Call once.
  void Start();

 private:
  void Turn();

  storage::Database* const database_;
  const threads::Clock clock_;
  const std::function<bool()> leads_;
  threads::PeriodicThread thread_;
};

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_CLUSTERS_DELETION_LOOP_H_
