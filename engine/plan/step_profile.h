// The free amounts of a node or a pool over time.
#ifndef PRIORITYD_ENGINE_PLAN_STEP_PROFILE_H_
#define PRIORITYD_ENGINE_PLAN_STEP_PROFILE_H_

#include <algorithm>
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

  // The last start in the window that opens at `time`: from then on `need` is free for `duration`,
  // or until `closes`, and just before it is not. nullopt = none opens.
  std::optional<absl::Time> WindowThatOpensAt(absl::Time time, absl::Duration duration,
                                              const Amounts& need, absl::Time closes) const;

  // A time at which an amount rises.
  struct Rise {
    absl::Time time;
    const Amounts& free;  // From then on.
    absl::Time falls;     // The next time that an amount falls; InfiniteFuture() = never.
    const Amounts& then;  // The free amounts from that time on.
  };

  // Calls `use` with each rise that a change of [from, until] may add, remove or change.
  template <typename Use>
  void ForEachRise(absl::Time from, absl::Time until, Use use) const {
    size_t step = StepFrom(from);
    while (step > 1 && !FallsAt(step - 1)) --step;
    for (step = step > 1 ? step - 1 : 1; step < from_.size() && from_[step] <= until; ++step) {
      if (!Fits(free_[step], free_[step - 1])) use(RiseAt(step));
    }
  }

  // Reserves `amounts` for [from, until), whether they are free or not.
  void Reserve(absl::Time from, absl::Time until, const Amounts& amounts);
  // Undoes that.
  void Release(absl::Time from, absl::Time until, const Amounts& amounts);

 private:
  template <typename Change>
  void ForEachStep(absl::Time from, absl::Time until, Change change);
  size_t StepAt(absl::Time time) const;
  // The first step that begins at `time` or later.
  size_t StepFrom(absl::Time time) const {
    return static_cast<size_t>(std::lower_bound(from_.begin(), from_.end(), time) - from_.begin());
  }
  absl::Time EndOf(size_t step) const;
  // Whether an amount falls at the begin of the step, which is not the first.
  bool FallsAt(size_t step) const { return !Fits(free_[step - 1], free_[step]); }
  Rise RiseAt(size_t step) const;
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
