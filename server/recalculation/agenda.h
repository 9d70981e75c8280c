// What the leader recalculates next: time in, work out.
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
#include "server/priority/snapshot.h"
#include "server/recalculation/schedule.h"

namespace priorityd::recalculation {

using SnapshotOr = absl::StatusOr<std::shared_ptr<const priority::Snapshot>>;

// A recalculation that somebody asked for.
struct Demand {
  std::string cluster;
  std::optional<absl::Time> as_of;
  // Called when it is done.
  std::function<void(const SnapshotOr&)> done;
  // If this replica's snapshot is of that generation: only its numbers are to be published too.
  std::optional<int64_t> numbers_of;
};

// Shares out what was asked for and what is due to a few workers: of one cluster one thing at
// a time; what was asked for in its order, beside the cluster that has been due the longest.
// A slow cluster, for which the last work took long, waits where half of the workers work for
// slow ones, so that any number of them holds up no other. It has no thread, no clock and no
// database. Not thread-safe.
class Agenda {
 public:
  // Work that took longer makes a cluster slow.
  static constexpr absl::Duration kSlow = absl::Seconds(1);

  struct Work {
    std::string cluster;
    std::shared_ptr<const Demand> demand;  // Null = it is due.
  };

  explicit Agenda(int workers) : workers_(workers) {}

  Schedule& schedule() { return schedule_; }
  const Schedule& schedule() const { return schedule_; }

  void Ask(std::shared_ptr<const Demand> demand) { demands_.push_back(std::move(demand)); }

  // What a worker is to do at `now`; nullopt if there is nothing. `leads`: whether what is due
  // is for this replica to do.
  std::optional<Work> Take(absl::Time now, bool leads);

  // The work that was taken for a cluster is done. REQUIRES: it was taken.
  void Finish(const std::string& cluster, absl::Duration took);

  // When there is something to take; InfiniteFuture() if nothing comes by itself.
  absl::Time NextWake(bool leads) const;

  // Takes everything that was asked for and not begun.
  std::deque<std::shared_ptr<const Demand>> TakeDemands();

 private:
  bool MayBegin(const std::string& cluster) const;
  // The first demand that may begin.
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
