// The free amounts of a node or a pool over time.
#ifndef PRIORITYD_ENGINE_PLAN_STEP_PROFILE_H_
#define PRIORITYD_ENGINE_PLAN_STEP_PROFILE_H_

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/time/time.h"
#include "engine/plan/amounts.h"

namespace priorityd::plan {

// A step function of time that begins at InfinitePast(). No two steps in succession are equal, so
// what was reserved and is released leaves no trace.
class StepProfile {
 public:
  // A job may start at any time in [first, last].
  struct Window {
    absl::Time first;
    absl::Time last;
  };

  explicit StepProfile(Amounts free) : from_{absl::InfinitePast()}, free_{std::move(free)} {}

  const Amounts& FreeAt(absl::Time time) const { return free_[StepAt(time)]; }

  // The first window that begins in [from, latest] and in which `need` is free for `duration`
  // (above 0), or until `closes` (after `latest`, if finite); nullopt = none. Takes O(log steps),
  // plus the steps up to the end of the window.
  std::optional<Window> NextWindow(absl::Time from, absl::Duration duration, const Amounts& need,
                                   absl::Time latest = absl::InfiniteFuture(),
                                   absl::Time closes = absl::InfiniteFuture()) const;

  // Reserves `amounts` for [from, until), whether they are free or not.
  void Reserve(absl::Time from, absl::Time until, const Amounts& amounts);
  // Undoes that.
  void Release(absl::Time from, absl::Time until, const Amounts& amounts);

 private:
  template <typename Change>
  void ForEachStep(absl::Time from, absl::Time until, Change change);
  size_t StepAt(absl::Time time) const;
  absl::Time EndOf(size_t step) const;
  // Makes a step begin at `time`; returns its index.
  size_t SplitAt(absl::Time time);
  // Drops the step if it is equal to the one before.
  void Merge(size_t step);

  // By step, in order of time. Two columns, because searches read the times only; mostly a few, and
  // searches read those of one node after another.
  absl::InlinedVector<absl::Time, 4> from_;
  std::vector<Amounts> free_;
};

}  // namespace priorityd::plan

#endif  // PRIORITYD_ENGINE_PLAN_STEP_PROFILE_H_
