// Recalculations by the leader, as another replica requests them.
#ifndef PRIORITYD_SERVER_RECALCULATION_LEADER_CLIENT_H_
#define PRIORITYD_SERVER_RECALCULATION_LEADER_CLIENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/recalculation/agenda.h"
#include "server/recalculation/leadership.h"
#include "server/recalculation/snapshot_registry.h"
#include "server/threads/clock.h"
#include "storage/database/database.h"
#include "storage/database/notification.h"

namespace priorityd::recalculation {

// The counterpart of LeaderService: posts requests in the database and waits for the answers.
// Thread-safe; calls wait on the caller's thread.
class LeaderClient {
 public:
  // `clock`: measures `patience`; a real clock. All pointers must outlive it.
  LeaderClient(storage::Database* database, const SnapshotRegistry* registry,
               const Leadership* leadership, threads::Clock clock, absl::Duration patience)
      : database_(database),
        registry_(registry),
        leadership_(leadership),
        clock_(std::move(clock)),
        patience_(patience) {}

  // Returns the leader's new snapshot of the cluster when the registry has it. Errors of the
  // leader's Recalculator and of the database; UNAVAILABLE (NO_LEADER) if no leader answers within
  // `patience`.
  SnapshotOr Recalculate(const std::string& cluster, std::optional<absl::Time> as_of);

  // Call with all notifications of the database: answers are among them. Does not wait.
  void HandleNotifications(const storage::Notifications& notifications) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // The number of notifications so far that may announce an answer.
  int64_t answers() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Waits until there are more than `seen` such notifications, with a time limit.
  void AwaitAnswer(int64_t seen) const ABSL_LOCKS_EXCLUDED(mutex_);

  storage::Database* const database_;
  const SnapshotRegistry* const registry_;
  const Leadership* const leadership_;
  const threads::Clock clock_;
  const absl::Duration patience_;

  mutable absl::Mutex mutex_;
  mutable absl::CondVar answered_;
  int64_t answers_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_LEADER_CLIENT_H_
