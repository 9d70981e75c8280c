// Finishes deletions of clusters that were cut short.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_DELETION_LOOP_H_
#define PRIORITYD_SERVER_ADMINISTRATION_DELETION_LOOP_H_

#include <functional>

#include "absl/time/time.h"
#include "server/threads/clock.h"
#include "server/threads/periodic_thread.h"
#include "storage/database.h"

namespace priorityd::administration {

// Looks for them at its start and every kPeriod, on a thread of its own, and logs what is gone. An
// error is logged, and the next turn tries again.
class DeletionLoop {
 public:
  static constexpr absl::Duration kPeriod = absl::Seconds(10);

  // `leads`: asked before each transaction whether this replica is the one that should. `database`
  // must outlive the loop.
  DeletionLoop(storage::Database* database, threads::Clock clock, std::function<bool()> leads);
  // Finishes the transaction at work.
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

#endif  // PRIORITYD_SERVER_ADMINISTRATION_DELETION_LOOP_H_
