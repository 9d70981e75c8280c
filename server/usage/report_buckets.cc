#include "server/usage/report_buckets.h"

#include <algorithm>

#include "absl/time/civil_time.h"

namespace priorityd::usage {
namespace {

// The first moment of a local day.
absl::Time BeginOf(absl::CivilDay day, absl::TimeZone zone) {
  const absl::TimeZone::TimeInfo info = zone.At(absl::CivilSecond(day));
  return info.kind == absl::TimeZone::TimeInfo::SKIPPED ? info.trans : info.pre;
}

// The full local hour after `time`.
absl::Time NextHour(absl::Time time, absl::TimeZone zone) {
  const absl::TimeZone::CivilInfo local = zone.At(time);
  const absl::Duration into =
      absl::Minutes(local.cs.minute()) + absl::Seconds(local.cs.second()) + local.subsecond;
  return time + absl::Hours(1) - into;
}

absl::Time NextEdge(const BucketRule& rule, absl::Time time, absl::Time end) {
  const absl::CivilDay day(rule.time_zone.At(time).cs);
  switch (rule.unit) {
    case BucketUnit::kWhole:
      return end;
    case BucketUnit::kHour:
      return NextHour(time, rule.time_zone);
    case BucketUnit::kDay:
      return BeginOf(day + 1, rule.time_zone);
    case BucketUnit::kWeek:
      return BeginOf(absl::NextWeekday(day, absl::Weekday::sunday), rule.time_zone);
    case BucketUnit::kMonth:
      return BeginOf(absl::CivilDay(absl::CivilMonth(day) + 1), rule.time_zone);
    case BucketUnit::kLength:
      return time + rule.length;
  }
  return end;
}

}  // namespace

std::optional<std::vector<absl::Time>> BucketEdges(const BucketRule& rule, absl::Time start,
                                                   absl::Time end) {
  std::vector<absl::Time> edges = {start};
  while (edges.back() < end) {
    if (edges.size() > kMaxBuckets) return std::nullopt;
    edges.push_back(std::min(end, NextEdge(rule, edges.back(), end)));
  }
  return edges;
}

}  // namespace priorityd::usage
