// Decay of usage over a timeline of half-lives, and resets.
#ifndef PRIORITYD_ENGINE_PRIORITY_FAIR_SHARE_USAGE_DECAY_H_
#define PRIORITYD_ENGINE_PRIORITY_FAIR_SHARE_USAGE_DECAY_H_

#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/priority/site/policy.h"

namespace priorityd::priority {

// From `effective_at` on, usage decays with `half_life` (infinite, 0 or less = no decay).
struct HalfLifeChange {
  absl::Time effective_at;
  absl::Duration half_life;
  bool operator==(const HalfLifeChange&) const = default;
};

// The times at which usage is reset to 0.
struct ResetRule {
  ResetPeriod period = ResetPeriod::kNone;
  // kNow: the moment of the reset. kInterval: the boundaries are anchor +
  // interval, anchor + 2 * interval, ..., none for InfinitePast(). Not read otherwise.
  absl::Time anchor = absl::InfinitePast();
  absl::Duration interval = absl::ZeroDuration();  // kInterval: > 0.
  absl::TimeZone time_zone = absl::UTCTimeZone();
  // One more boundary: the last reset under earlier policies, so that usage which they reset does
  // not return.
  absl::Time floor = absl::InfinitePast();
  // `floor` counts from itself on, or from this time where it is earlier: a reset of all that is
  // recorded, some of it ahead of the clock.
  absl::Time floor_from = absl::InfiniteFuture();
  bool operator==(const ResetRule&) const = default;
};

// The last boundary at or before `time`: usage before it counts 0 at `time`. InfinitePast() = none.
// After `time` only for a floor that counts already.
// Calendar boundaries are the beginnings of local days: every day, every Sunday, the first of each
// month, of each quarter (January, April, July, October), of each year. If a clock change skips
// midnight, the day begins with the change.
absl::Time LastReset(const ResetRule& rule, absl::Time time);

// The decayed value of usage: one unit used at t counts 2^-(integral of dt/half-life from t to T)
// at T, and 0 if a reset lies in between (t < LastReset(T)). The closed form makes the result
// independent of when, in which order and in how many parts usage arrives. All times are finite.
// Immutable.
class UsageDecay {
 public:
  // `timeline` is sorted by effective_at; the first half-life also holds before its effective_at.
  // Empty = no decay.
  UsageDecay(absl::Span<const HalfLifeChange> timeline, ResetRule reset);

  // The value at `to` of usage with `value` at `from`. For to < from, the inverse of the decay
  // without resets, at most DBL_MAX. Results below DBL_MIN are 0.
  double Carry(double value, absl::Time from, absl::Time to) const;

  // The same for a column, in place: replaces `values[i]`, the value at `from[i]`, by the value at
  // `to`. REQUIRES: equal sizes.
  void CarryAll(absl::Span<double> values, absl::Span<const absl::Time> from, absl::Time to) const;

  // The value at `at` of using `rate` units per second during [start, end). Usage after `at` and
  // usage before the last reset do not count. 0 if end <= start.
  double Interval(double rate, absl::Time start, absl::Time end, absl::Time at) const;

  const ResetRule& reset() const { return reset_; }

 private:
  // An interval of the timeline; it ends where the next one begins.
  struct Era {
    absl::Time begin;
    double half_life_seconds;  // Infinite = no decay.
  };

  // The era that contains `time`.
  size_t EraAt(absl::Time time) const;
  // The end of era `i`.
  absl::Time EndOf(size_t i) const;
  // The integral of dt/half-life from `from` to `to`. REQUIRES: from <= to.
  double HalfLivesBetween(absl::Time from, absl::Time to) const;

  std::vector<Era> eras_;  // Never empty; the first begins at InfinitePast().
  ResetRule reset_;
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_FAIR_SHARE_USAGE_DECAY_H_
