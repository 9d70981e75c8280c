// How usage counts less with time: decay over the half-life timeline, and resets.
#ifndef PRIORITYD_SERVER_PRIORITY_USAGE_DECAY_H_
#define PRIORITYD_SERVER_PRIORITY_USAGE_DECAY_H_

#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/priority/policy.h"

namespace priorityd::priority {

// From `effective_at` on usage decays with `half_life` (infinite = no decay; 0
// or less is taken for that too).
struct HalfLifeChange {
  absl::Time effective_at;
  absl::Duration half_life;
  bool operator==(const HalfLifeChange&) const = default;
};

// When usage is wiped out.
struct ResetRule {
  ResetPeriod period = ResetPeriod::kNone;
  // kNow: the moment of the reset. kInterval: the boundaries are anchor +
  // interval, anchor + 2 * interval, ... Not read otherwise.
  absl::Time anchor = absl::InfinitePast();
  absl::Duration interval = absl::ZeroDuration();  // kInterval: > 0.
  absl::TimeZone time_zone = absl::UTCTimeZone();
  // A boundary besides those of the period: the last one of former policies, so
  // that what they wiped out stays so.
  absl::Time floor = absl::InfinitePast();
  bool operator==(const ResetRule&) const = default;
};

// The last boundary at or before `time`: usage before it counts 0 at `time`.
// InfinitePast() if there is none. Calendar boundaries are the beginnings of
// local days by true calendar arithmetic: every day, Sunday, first of month, of
// quarter (Jan Apr Jul Oct), of year. Where a clock change skips midnight the day
// begins with the change.
absl::Time LastReset(const ResetRule& rule, absl::Time time);

// What usage counts for: one unit used at t counts 2^-(integral of dt/HL from t
// to T) at T, and 0 if a reset lies between (t < LastReset(T)). Closed form, so
// the result does not depend on when, in what order or in how many pieces usage
// arrives. All times are finite. Immutable.
class UsageDecay {
 public:
  // `timeline` sorted by effective_at; before the first change its half-life
  // holds too. Empty = no decay.
  UsageDecay(absl::Span<const HalfLifeChange> timeline, ResetRule reset);

  // What `value`, counted at `from`, counts at `to`. For to < from the inverse
  // of the decay, resets left aside, at most DBL_MAX. Results below DBL_MIN are 0.
  double Carry(double value, absl::Time from, absl::Time to) const;

  // The same for a column of rows at one moment, in place: `values[i]`, counted
  // at `from[i]`, becomes what it counts at `to`. REQUIRES: equal sizes.
  void CarryAll(absl::Span<double> values, absl::Span<const absl::Time> from, absl::Time to) const;

  // What using `rate` units per second over [start, end) counts at `at`. Of a
  // stretch that reaches past `at` only [start, at) counts; of one that
  // straddles a reset only the later part. 0 when end <= start.
  double Interval(double rate, absl::Time start, absl::Time end, absl::Time at) const;

  const ResetRule& reset() const { return reset_; }

 private:
  // A stretch of the timeline; it ends where the next one begins.
  struct Era {
    absl::Time begin;
    double half_life_seconds;  // Infinite = no decay.
  };

  // The era that holds at `time`.
  size_t EraAt(absl::Time time) const;
  // Where era `i` ends.
  absl::Time EndOf(size_t i) const;
  // Integral of dt/HL from `from` to `to`, which is not earlier.
  double HalfLivesBetween(absl::Time from, absl::Time to) const;

  std::vector<Era> eras_;  // Never empty; the first begins at InfinitePast().
  ResetRule reset_;
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_USAGE_DECAY_H_
