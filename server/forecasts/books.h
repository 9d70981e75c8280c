// The forecasts of all clusters, learned on a thread of their own.
#ifndef PRIORITYD_SERVER_FORECASTS_BOOKS_H_
#define PRIORITYD_SERVER_FORECASTS_BOOKS_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_map.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/forecasts/book.h"
#include "server/forecasts/event_finder.h"
#include "server/forecasts/queue_plans.h"
#include "server/queue/replication/tracked_queues.h"
#include "server/threads/clock.h"
#include "server/threads/periodic_thread.h"
#include "storage/database/database.h"

namespace priorityd::forecasts {

struct BooksOptions {
  storage::Database* database;
  queue::TrackedQueues* queues;
  std::function<bool()> leads;  // Whether this replica does.
  threads::Clock clock;
  // Between two looks at the queues; infinite = only RunTurn looks, 0 = no forecasts are made.
  absl::Duration period;
  // For plans; empty = no nodes are known. Is called on the thread.
  NodesOf nodes;
  // Is called on the thread after the forecasts of a cluster have changed; may be empty.
  std::function<void(const std::string& cluster)> on_changed;
  // The newest events of a cluster that are kept, from which a replica that starts learns again.
  int64_t kept_events = 40'000;
};

// Each period the leader finds what happened in the tracked queues, stores it as events, and
// applies them; the other replicas apply the stored events. The thread has a low priority. It
// leaves clusters on a manual clock alone: they are played, and nobody waits for their starts.
class Books {
 public:
  // The objects that the options point to must outlive it.
  explicit Books(BooksOptions options);
  ~Books();
  Books(const Books&) = delete;
  Books& operator=(const Books&) = delete;

  // Call at most once.
  void Start();
  // After it on_changed is not called. A running turn ends within one event or training: books
  // stay where they are, without events that are stored, and are read again after the next start.
  void Stop() { thread_.Stop(); }
  // Call after setting the clock: a look that is due comes at once.
  void CheckClock() { thread_.CheckClock(); }
  // One look at all queues, on this thread; none after Stop. REQUIRES: Start was not called.
  void RunTurn();

  bool enabled() const { return options_.period > absl::ZeroDuration(); }
  // Null: nothing was learned of the cluster yet.
  std::shared_ptr<Book> Find(const std::string& cluster) const ABSL_LOCKS_EXCLUDED(mutex_);
  // By cluster.
  absl::btree_map<std::string, std::shared_ptr<Book>> All() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // A cluster as the thread knows it.
  struct Cluster {
    std::shared_ptr<Book> book = std::make_shared<Book>();
    // At the last turn, and how many turns ago it changed or brought an event.
    std::shared_ptr<const queue::QueueState> state;
    int quiet_turns = 0;
    EventFinder finder;
    bool is_read = false;  // Whether the book has all stored events, as far as known.
    int64_t trimmed = 0;   // Events up to this number were deleted.
    int64_t policy = 0;    // The version as of the stored events; 0 = none.
    // The reservations by which the book's earliest starts were computed, and the number of turns
    // for which they hold.
    std::vector<priority::Reservation> reservations;
    int turns_left = 0;
    bool failed = false;  // In the last turn.
    // Of the database, and the cluster in it, from which it was read; 0 = none.
    int64_t incarnation = 0;
    int32_t id = 0;
  };
  using State = std::shared_ptr<const queue::QueueState>;

  void Turn(bool with_manual) ABSL_LOCKS_EXCLUDED(mutex_);
  std::shared_ptr<Cluster> ClusterOf(const std::string& name) ABSL_LOCKS_EXCLUDED(mutex_);
  // Forgets the clusters without a loaded queue.
  void ForgetOthers(const absl::btree_map<std::string, State>& loaded) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Follow(const std::string& name, const State& state, Cluster* cluster);
  // Whether stored events are to be expected: the leader stores them some turns after the queue
  // changed. True now and then in any case.
  static bool ExpectsEvents(const State& state, Cluster* cluster);
  // Starts over if the database does not have the events of the book: they were lost with a
  // restore, or the cluster is another one of the same name.
  absl::Status CheckDatabase(const std::string& name, Cluster* cluster) ABSL_LOCKS_EXCLUDED(mutex_);
  // Applies the stored events that the book has not. CANCELLED at Stop.
  absl::Status Read(const std::string& name, Cluster* cluster);
  // Finds events, stores and applies them.
  absl::Status Lead(const std::string& name, const State& state, Cluster* cluster);
  // Applies those before Stop.
  void Apply(const std::string& name, const std::vector<Event>& events, Cluster* cluster);
  // The times before which reservations prevent the jobs of the book from starting; computed again
  // when they change, and now and then, as a job meets one that it would have ended before.
  void SetEarliestStarts(const std::string& name, const State& state, Cluster* cluster) const;
  PlanSource SourceOf(const State& state, const Cluster& cluster) const;
  absl::Status Store(const std::string& name, const std::vector<Event>& events, Cluster* cluster);
  std::vector<Event> FindEvents(const State& state, Cluster* cluster) const;
  absl::Time Now(const queue::QueueState& state) const;

  const BooksOptions options_;
  mutable absl::Mutex mutex_;
  absl::btree_map<std::string, std::shared_ptr<Cluster>> clusters_ ABSL_GUARDED_BY(mutex_);
  threads::PeriodicThread thread_;
};

}  // namespace priorityd::forecasts

#endif  // PRIORITYD_SERVER_FORECASTS_BOOKS_H_
