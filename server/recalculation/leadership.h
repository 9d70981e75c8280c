// The election of the leader, the replica that recalculates.
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
#include "storage/database/database.h"
#include "storage/snapshots/replica_session.h"

namespace priorityd::recalculation {

// A frozen leader is replaced after at most `lease` plus `renewal`, a dead one after `renewal`.
struct LeadershipOptions {
  absl::Duration lease = absl::Seconds(4);
  // The interval at which the leader renews its lease and others try to take it.
  absl::Duration renewal = absl::Milliseconds(500);
  // A replica does not lead while its host's clock differs more from the database's: one of the two
  // is wrong, and a snapshot for a wrong time cannot be undone.
  absl::Duration max_clock_offset = absl::Seconds(10);
  // Receives the readings of the database's clock and measures the offset; nullptr = the clocks are
  // not compared.
  threads::DatabaseClock* database_clock = nullptr;
  // Another pool of the same database, kept informed like the first; nullptr = none.
  storage::Database* other = nullptr;
};

// Takes part in the election on its own thread and connection; reconnects with growing pauses when
// the connection breaks. Also reads the database's clock, and notifies the Database object when the
// database's contents have been replaced. Thread-safe.
class Leadership {
 public:
  // Called on the thread with the replicas' notifications; called with an empty notification, which
  // means that anything may have changed, when this replica starts or ceases to lead, and every few
  // seconds. Must not wait for long.
  using OnNotified = std::function<void(const storage::Notifications&)>;

  // `clock`: measures the lease; a real clock. `database` must outlive the object.
  Leadership(storage::Database* database, LeadershipOptions options, threads::Clock clock,
             OnNotified on_notified);
  // Resigns, so that another replica can lead at once.
  ~Leadership();
  Leadership(const Leadership&) = delete;
  Leadership& operator=(const Leadership&) = delete;

  // Tries once to lead, then starts the thread. Call once.
  void Start();

  // The epoch in which this replica believes it leads; its actions as leader must be fenced by
  // storage::LockLeadership. nullopt = it does not lead.
  std::optional<int64_t> epoch() const;

  // Whether the host's clock agrees with the database's within max_clock_offset.
  bool clock_agrees() const { return clock_agrees_; }

 private:
  // Campaigns, then listens; returns the due time of the next turn.
  absl::Time Turn();
  // One attempt to take or keep the leadership; false without a connection.
  bool Campaign();
  absl::StatusOr<std::optional<int64_t>> TakePart();
  void CompareContents(const storage::ReplicaSession::Reading& reading);
  void CompareClocks();
  void SetEpoch(std::optional<int64_t> epoch, absl::Time valid_until);
  // Waits for notifications until it is time to campaign again, or until one may announce that.
  void Listen();
  // The time of the next connection.
  absl::Time NextConnection();

  storage::Database* const database_;
  const LeadershipOptions options_;
  const threads::Clock clock_;
  const OnNotified on_notified_;
  bool started_ = false;
  // Used by the thread only.
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
