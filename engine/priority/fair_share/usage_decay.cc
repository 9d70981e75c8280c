#include "engine/priority/fair_share/usage_decay.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

#include "absl/time/civil_time.h"

namespace priorityd::priority {
namespace {

constexpr double kLn2 = 0.693147180559945309417232121458;

// Seconds between two finite times.
double SecondsBetween(absl::Time from, absl::Time to) { return absl::ToDoubleSeconds(to - from); }

double WithoutUnderflow(double value) { return value < DBL_MIN ? 0 : value; }

// The first moment of a local day.
absl::Time BeginningOf(absl::CivilDay day, const absl::TimeZone& zone) {
  const absl::TimeZone::TimeInfo midnight = zone.At(absl::CivilSecond(day));
  return midnight.kind == absl::TimeZone::TimeInfo::SKIPPED ? midnight.trans : midnight.pre;
}

// The first day of the period that `day` is in.
absl::CivilDay FirstDayOfPeriod(ResetPeriod period, absl::CivilDay day) {
  switch (period) {
    case ResetPeriod::kWeekly:
      return absl::PrevWeekday(day + 1, absl::Weekday::sunday);
    case ResetPeriod::kMonthly:
      return absl::CivilDay(absl::CivilMonth(day));
    case ResetPeriod::kQuarterly:
      return absl::CivilDay(day.year(), (day.month() - 1) / 3 * 3 + 1, 1);
    case ResetPeriod::kYearly:
      return absl::CivilDay(absl::CivilYear(day));
    default:
      return day;
  }
}

// Tries the next day first: if the clock is set back over midnight, a boundary may have passed
// although the calendar shows the previous day again.
absl::Time LastCalendarReset(const ResetRule& rule, absl::Time time) {
  const absl::CivilDay today = absl::ToCivilDay(time, rule.time_zone);
  for (absl::CivilDay day = today + 1;; day = FirstDayOfPeriod(rule.period, day) - 1) {
    const absl::Time boundary = BeginningOf(FirstDayOfPeriod(rule.period, day), rule.time_zone);
    if (boundary <= time) return boundary;
  }
}

absl::Time LastIntervalReset(const ResetRule& rule, absl::Time time) {
  if (rule.anchor == absl::InfinitePast() || time < rule.anchor + rule.interval)
    return absl::InfinitePast();
  return time - (time - rule.anchor) % rule.interval;
}

absl::Time LastPeriodReset(const ResetRule& rule, absl::Time time) {
  switch (rule.period) {
    case ResetPeriod::kNone:
      return absl::InfinitePast();
    case ResetPeriod::kNow:
      return rule.anchor <= time ? rule.anchor : absl::InfinitePast();
    case ResetPeriod::kInterval:
      return LastIntervalReset(rule, time);
    default:
      return LastCalendarReset(rule, time);
  }
}

// The value of using `rate` for `seconds`, at the end of that time.
double LumpAtEnd(double rate, double seconds, double half_life_seconds) {
  if (std::isinf(half_life_seconds)) return rate * seconds;
  return rate * (half_life_seconds / kLn2) * -std::expm1(-kLn2 * seconds / half_life_seconds);
}

double HalfLifeSeconds(absl::Duration half_life) {
  if (half_life <= absl::ZeroDuration()) return std::numeric_limits<double>::infinity();
  return absl::ToDoubleSeconds(half_life);
}

}  // namespace

absl::Time LastReset(const ResetRule& rule, absl::Time time) {
  const bool counts = std::min(rule.floor, rule.floor_from) <= time;
  const absl::Time floor = counts ? rule.floor : absl::InfinitePast();
  return std::max(floor, LastPeriodReset(rule, time));
}

UsageDecay::UsageDecay(absl::Span<const HalfLifeChange> timeline, ResetRule reset) : reset_(reset) {
  eras_.reserve(timeline.size() + 1);
  for (const HalfLifeChange& change : timeline) {
    eras_.push_back({change.effective_at, HalfLifeSeconds(change.half_life)});
  }
  if (eras_.empty()) eras_.push_back({absl::InfinitePast(), HalfLifeSeconds(absl::ZeroDuration())});
  eras_.front().begin = absl::InfinitePast();
}

size_t UsageDecay::EraAt(absl::Time time) const {
  const auto after = std::upper_bound(eras_.begin() + 1, eras_.end(), time,
                                      [](absl::Time t, const Era& era) { return t < era.begin; });
  return static_cast<size_t>(after - eras_.begin()) - 1;
}

absl::Time UsageDecay::EndOf(size_t i) const {
  return i + 1 < eras_.size() ? eras_[i + 1].begin : absl::InfiniteFuture();
}

double UsageDecay::HalfLivesBetween(absl::Time from, absl::Time to) const {
  double half_lives = 0;
  for (size_t i = EraAt(from); from < to; ++i) {
    const absl::Time end = std::min(to, EndOf(i));
    half_lives += SecondsBetween(from, end) / eras_[i].half_life_seconds;
    from = end;
  }
  return half_lives;
}

double UsageDecay::Carry(double value, absl::Time from, absl::Time to) const {
  CarryAll(absl::MakeSpan(&value, 1), absl::MakeConstSpan(&from, 1), to);
  return value;
}

void UsageDecay::CarryAll(absl::Span<double> values, absl::Span<const absl::Time> from,
                          absl::Time to) const {
  const absl::Time last_reset = LastReset(reset_, to);
  const Era& last_era = eras_[EraAt(to)];
  for (size_t i = 0; i < values.size(); ++i) {
    if (from[i] < last_reset) {
      values[i] = 0;
    } else if (from[i] > to) {
      const double grown = values[i] * std::exp2(HalfLivesBetween(to, from[i]));
      values[i] = values[i] == 0 ? 0 : std::min(grown, DBL_MAX);
    } else {
      const double half_lives = from[i] >= last_era.begin
                                    ? SecondsBetween(from[i], to) / last_era.half_life_seconds
                                    : HalfLivesBetween(from[i], to);
      values[i] = WithoutUnderflow(values[i] * std::exp2(-half_lives));
    }
  }
}

double UsageDecay::Interval(double rate, absl::Time start, absl::Time end, absl::Time at) const {
  start = std::max(start, LastReset(reset_, at));
  end = std::min(end, at);
  double counted = 0;
  for (size_t i = EraAt(start); start < end; ++i) {
    const absl::Time piece_end = std::min(end, EndOf(i));
    const double lump =
        LumpAtEnd(rate, SecondsBetween(start, piece_end), eras_[i].half_life_seconds);
    counted += lump * std::exp2(-HalfLivesBetween(piece_end, at));
    start = piece_end;
  }
  return WithoutUnderflow(counted);
}

}  // namespace priorityd::priority
