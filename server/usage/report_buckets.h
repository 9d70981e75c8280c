// The time buckets of a report.
#ifndef PRIORITYD_SERVER_USAGE_REPORT_BUCKETS_H_
#define PRIORITYD_SERVER_USAGE_REPORT_BUCKETS_H_

#include <optional>
#include <vector>

#include "absl/time/time.h"

namespace priorityd::usage {

enum class BucketUnit {
  kWhole,  // One bucket.
  kHour,
  kDay,
  kWeek,  // From Sunday.
  kMonth,
  kLength,  // Of BucketRule::length, counted from the start.
};

struct BucketRule {
  BucketUnit unit = BucketUnit::kWhole;
  absl::Duration length = absl::ZeroDuration();  // kLength: at least a microsecond.
  absl::TimeZone time_zone = absl::UTCTimeZone();
};

inline constexpr size_t kMaxBuckets = 50'000;

// The starts of the buckets of [start, end), followed by `end`. Calendar buckets use true calendar
// arithmetic: days of a clock change are longer or shorter, an hour that occurs twice makes two
// buckets, and if a clock change skips midnight, the day starts with the change. The first and the
// last bucket may be partial. nullopt for more than kMaxBuckets. REQUIRES: start < end, both
// finite.
std::optional<std::vector<absl::Time>> BucketEdges(const BucketRule& rule, absl::Time start,
                                                   absl::Time end);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_REPORT_BUCKETS_H_
