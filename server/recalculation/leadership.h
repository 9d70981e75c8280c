// Whether this replica is the one that recalculates.
#ifndef PRIORITYD_SERVER_RECALCULATION_LEADERSHIP_H_
#define PRIORITYD_SERVER_RECALCULATION_LEADERSHIP_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "storage/database.h"
#include "storage/replica_session.h"

namespace priorityd::recalculation {

// A frozen leader is followed after `lease` and `renewal` at most, a dead one
// after `renewal`.
struct LeadershipOptions {
  absl::Duration lease = absl::Seconds(4);
  // How often the leader renews its lease and others try to take it.
  absl::Duration renewal = absl::Milliseconds(500);
};

// Takes part in the election on a thread of its own, with a connection of its
// own, which it makes anew, with growing pauses, when it breaks. Thread-safe.
class Leadership {
 public:
  // `on_news` is called on the thread when this replica becomes or ceases to be
  // the leader, when anybody notifies the replicas, and every few seconds; it must
  // not wait for long. `database` must outlive the object.
  Leadership(storage::Database* database, LeadershipOptions options, std::function<void()> on_news);
  // Another replica can lead at once.
  ~Leadership();
  Leadership(const Leadership&) = delete;
  Leadership& operator=(const Leadership&) = delete;

  // Tries once to lead, then starts the thread. Call once.
  void Start();

  // The epoch that this replica leads in, as far as it knows: what it does as a
  // leader must be fenced by storage::LockLeadership. nullopt = it does not lead.
  std::optional<int64_t> epoch() const;

 private:
  void Run();
  // One try to take or keep the leadership; false when there is no connection.
  bool Campaign();
  void SetEpoch(std::optional<int64_t> epoch, absl::Time valid_until);
  // Waits for a notification or until it is time to campaign again.
  void Listen();
  // Waits before the next connection; returns early when the object is to go.
  void Pause();
  bool stops() const;

  storage::Database* const database_;
  const LeadershipOptions options_;
  const std::function<void()> on_news_;
  // Of the thread.
  std::unique_ptr<storage::ReplicaSession> session_;
  absl::Duration pause_;
  absl::Time next_news_ = absl::InfinitePast();

  mutable absl::Mutex mutex_;
  absl::CondVar stopping_;
  std::optional<int64_t> epoch_ ABSL_GUARDED_BY(mutex_);
  absl::Time valid_until_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  bool stops_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_LEADERSHIP_H_
