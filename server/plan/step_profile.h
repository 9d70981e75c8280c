// What is free over time: of a node, of a pool.
#ifndef PRIORITYD_SERVER_PLAN_STEP_PROFILE_H_
#define PRIORITYD_SERVER_PLAN_STEP_PROFILE_H_

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "server/plan/amounts.h"

namespace priorityd::plan {

// A step function of time, from InfinitePast() on.
class StepProfile {
 public:
  // When a job may start: at any time from `first` to `last`.
  struct Window {
    absl::Time first;
    absl::Time last;
  };

  explicit StepProfile(Amounts free) : from_{absl::InfinitePast()}, free_{std::move(free)} {}

  const Amounts& FreeAt(absl::Time time) const { return free_[StepAt(time)]; }

  // The first window that begins at `from` or later, up to `latest`, in which `need` is free for
  // `duration` (above 0); unset: there is none. O(log steps), and the steps up to the window's end.
  std::optional<Window> NextWindow(absl::Time from, absl::Duration duration, const Amounts& need,
                                   absl::Time latest = absl::InfiniteFuture()) const;

  // Takes amounts for [from, until), whether they are free or not.
  void Take(absl::Time from, absl::Time until, const Amounts& amounts);

 private:
  size_t StepAt(absl::Time time) const;
  absl::Time EndOf(size_t step) const;
  // Makes a step begin at `time`; returns its place.
  size_t SplitAt(absl::Time time);

  // By step, in the order of time: two columns, since it is times that are searched.
  std::vector<absl::Time> from_;
  std::vector<Amounts> free_;
};

}  // namespace priorityd::plan

#endif  // PRIORITYD_SERVER_PLAN_STEP_PROFILE_H_
