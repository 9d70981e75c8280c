// Whether this replica is the one that recalculates.
#ifndef PRIORITYD_SERVER_RECALCULATION_LEADERSHIP_H_
#define PRIORITYD_SERVER_RECALCULATION_LEADERSHIP_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/threads/clock.h"
#include "server/threads/database_clock.h"
#include "server/threads/periodic_thread.h"
#include "storage/database.h"
#include "storage/replica_session.h"

namespace priorityd::recalculation {

// A frozen leader is followed after `lease` and `renewal` at most, a dead one
// after `renewal`.
struct LeadershipOptions {
  absl::Duration lease = absl::Seconds(4);
  // How often the leader renews its lease and others try to take it.
  absl::Duration renewal = absl::Milliseconds(500);
  // A replica whose host's clock is further from the database's does not lead: one of the
  // two is wrong, and what is computed by a wrong time cannot be taken back.
  absl::Duration max_clock_offset = absl::Seconds(10);
  // Told what the database's clock says, and what the offset is measured by; nullptr = the
  // clocks are not compared.
  threads::DatabaseClock* database_clock = nullptr;
  // Another pool of the same database, which is told the same; nullptr = there is none.
  storage::Database* other = nullptr;
};

// Takes part in the election on a thread of its own, with a connection of its
// own. When that breaks it makes another one, with growing pauses. It also reads the
// database's clock, and tells the Database when another one's contents are in its place.
// Thread-safe.
class Leadership {
 public:
  // Called on the thread with what the replicas were notified of, and with one of anything
  // when this replica starts or ceases to lead, and every few seconds. Must not wait for long.
  using OnNotified = std::function<void(const storage::Notifications&)>;

  // `clock`: what the lease is measured by; a real one. `database` must outlive the
  // object.
  Leadership(storage::Database* database, LeadershipOptions options, threads::Clock clock,
             OnNotified on_notified);
  // Another replica can lead at once.
  ~Leadership();
  Leadership(const Leadership&) = delete;
  Leadership& operator=(const Leadership&) = delete;

  // Tries once to lead, then starts the thread. Call once.
  void Start();

  // The epoch that this replica leads in, as far as it knows: what it does as a
  // leader must be fenced by storage::LockLeadership. nullopt = it does not lead.
  std::optional<int64_t> epoch() const;

  // Whether the host's clock is near enough to the database's for this replica to lead.
  bool clock_agrees() const { return clock_agrees_; }

 private:
  // Campaigns, then listens; returns when the next turn is due.
  absl::Time Turn();
  // One try to take or keep the leadership; false when there is no connection.
  bool Campaign();
  absl::StatusOr<std::optional<int64_t>> TakePart();
  void CompareContents(const storage::ReplicaSession::Reading& reading);
  void CompareClocks();
  void SetEpoch(std::optional<int64_t> epoch, absl::Time valid_until);
  // Waits for notifications until it is time to campaign again, or one may be of that.
  void Listen();
  // When to make the next connection.
  absl::Time NextConnection();

  storage::Database* const database_;
  const LeadershipOptions options_;
  const threads::Clock clock_;
  const OnNotified on_notified_;
  bool started_ = false;
  // Of the thread.
  std::unique_ptr<storage::ReplicaSession> session_;
  storage::ReplicaSession::Reading last_reading_;
  absl::Duration pause_;
  absl::Time next_call_ = absl::InfinitePast();  // Of on_notified.

  std::atomic<bool> clock_agrees_ = true;

  mutable absl::Mutex mutex_;
  std::optional<int64_t> epoch_ ABSL_GUARDED_BY(mutex_);
  absl::Time valid_until_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  threads::PeriodicThread thread_;
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_LEADERSHIP_H_
