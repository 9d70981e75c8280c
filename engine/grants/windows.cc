#include "engine/grants/windows.h"

#include <algorithm>

#include "absl/time/civil_time.h"

namespace priorityd::grants {
namespace {

absl::CivilMonth QuarterOf(absl::CivilMonth month) { return month - (month.month() - 1) % 3; }

// The first day of the window after that of `day`. REQUIRES: not kFixed.
absl::CivilDay NextFirstDay(WindowKind window, absl::CivilDay day) {
  switch (window) {
    case WindowKind::kFixed:
    case WindowKind::kRolling:
      return day + 1;
    case WindowKind::kMonth:
      return absl::CivilDay(absl::CivilMonth(day) + 1);
    case WindowKind::kQuarter:
      return absl::CivilDay(QuarterOf(absl::CivilMonth(day)) + 3);
    case WindowKind::kYear:
      return absl::CivilDay(absl::CivilYear(day) + 1);
  }
  return day + 1;
}

// The end of the window, or day, of a time of the grant, which is in `*day`; sets it to the day of
// the end. Only where clocks are set back across midnight is the next day's begin not the end.
absl::Time EndOf(const Grant& grant, const absl::TimeZone& zone, absl::Time time,
                 absl::CivilDay* day) {
  if (grant.window == WindowKind::kFixed) return grant.end;
  absl::Time end = time;
  while (end <= time) {
    *day = NextFirstDay(grant.window, *day);
    end = absl::FromCivil(*day, zone);
  }
  return std::min(end, grant.end);
}

absl::Time EndOf(const Grant& grant, const absl::TimeZone& zone, absl::Time time) {
  absl::CivilDay day = absl::ToCivilDay(time, zone);
  return EndOf(grant, zone, time, &day);
}

}  // namespace

std::vector<Window> WindowsOf(const Grant& grant, const absl::TimeZone& zone, absl::Time now) {
  std::vector<Window> windows;
  absl::CivilDay day = absl::ToCivilDay(grant.begin, zone);
  for (absl::Time begin = grant.begin; begin < grant.end && begin <= now;
       begin = windows.back().end) {
    windows.push_back({begin, EndOf(grant, zone, begin, &day)});
  }
  return windows;
}

std::optional<Window> NextWindow(const Grant& grant, const absl::TimeZone& zone,
                                 const Window& window) {
  if (window.end >= grant.end) return std::nullopt;
  return Window{window.end, EndOf(grant, zone, window.end)};
}

std::optional<Window> RollingWindow(const Grant& grant, const absl::TimeZone& zone,
                                    absl::Time now) {
  if (now < grant.begin || grant.end <= grant.begin) return std::nullopt;
  const absl::Time last = std::min(now, grant.end - absl::Nanoseconds(1));
  const absl::CivilDay first_day = absl::ToCivilDay(last, zone) - (grant.rolling_days - 1);
  return Window{std::max(grant.begin, absl::FromCivil(first_day, zone)), EndOf(grant, zone, last)};
}

}  // namespace priorityd::grants
