// Decides the next recalculation of the leader: takes the time, returns the work.
#ifndef PRIORITYD_SERVER_RECALCULATION_AGENDA_H_
#define PRIORITYD_SERVER_RECALCULATION_AGENDA_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/btree_set.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/recalculation/schedule.h"

namespace priorityd::recalculation {

using SnapshotOr = absl::StatusOr<std::shared_ptr<const priority::Snapshot>>;

// A recalculation on demand.
struct Demand {
  std::string cluster;
  std::optional<absl::Time> as_of;
  // Called when it is done.
  std::function<void(const SnapshotOr&)> done;
  // Set: only publish the numbers of this replica's snapshot, if it has this generation.
  std::optional<int64_t> numbers_of;
};

// Distributes demands and due clusters to a few workers. Each cluster has at most one worker.
// Demands keep their order and alternate with the cluster that has been due the longest. A slow
// cluster, whose last work took long, waits while half of the workers work for slow clusters, so
// that slow clusters never delay the others. Has no thread, clock or database. Not thread-safe.
class Agenda {
 public:
  // A cluster is slow if its last work took longer.
  static constexpr absl::Duration kSlow = absl::Seconds(1);

  struct Work {
    std::string cluster;
    std::shared_ptr<const Demand> demand;  // Null = periodic work that is due.
  };

  explicit Agenda(int workers) : workers_(workers) {}

  Schedule& schedule() { return schedule_; }
  const Schedule& schedule() const { return schedule_; }

  void Ask(std::shared_ptr<const Demand> demand) { demands_.push_back(std::move(demand)); }

  // The next work for a worker at `now`; nullopt if there is none. `leads`: whether this replica
  // handles due clusters.
  std::optional<Work> Take(absl::Time now, bool leads);

  // Reports that a cluster's work is done. REQUIRES: the work was taken.
  void Finish(const std::string& cluster, absl::Duration took);

  // The time at which the next work is available; InfiniteFuture() if only new demands bring some.
  absl::Time NextWake(bool leads) const;

  // Removes and returns all demands whose work has not started.
  std::deque<std::shared_ptr<const Demand>> TakeDemands();

 private:
  bool MayBegin(const std::string& cluster) const;
  // The first demand that may start.
  std::deque<std::shared_ptr<const Demand>>::const_iterator NextDemand() const;
  std::optional<Work> TakeDemand();
  std::optional<Work> TakeDue(absl::Time now);

  const int workers_;
  Schedule schedule_;
  std::deque<std::shared_ptr<const Demand>> demands_;
  bool due_first_ = false;  // Next time.
  absl::btree_set<std::string> at_work_;
  absl::btree_set<std::string> slow_;
  int slow_at_work_ = 0;
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_AGENDA_H_
