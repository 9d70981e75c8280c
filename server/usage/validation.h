// Validation of a usage record independent of the cluster.
#ifndef PRIORITYD_SERVER_USAGE_VALIDATION_H_
#define PRIORITYD_SERVER_USAGE_VALIDATION_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/usage/usage_submission.h"

namespace priorityd::usage {

// Larger counts, billing and counters are refused, so that no sum of usage overflows.
inline constexpr double kMaxAmount = 1e18;
// The maximum duration of a record.
inline constexpr absl::Duration kMaxSpan = absl::Hours(24 * 3660);
// The longest time by which a record may end in the future, by the service's clock.
inline constexpr absl::Duration kMaxAhead = absl::Minutes(1);
// Reserved prefix of record_ids for intervals made from counters; clients must not use it.
inline constexpr absl::string_view kCountersPrefix = "counters:";

// The earliest and the latest end of a record, both inclusive.
struct EndTimes {
  absl::Time earliest = absl::InfinitePast();  // The cluster's ledger horizon.
  absl::Time latest = absl::InfiniteFuture();
};

// `tres["gres/gpu"]`, of any name.
std::string TresField(absl::string_view name, absl::string_view field = "tres");

// The first fault; nullopt if there is none. The message is short, whatever the record contains.
std::optional<Rejection> FindFault(const UsageSubmission& record, const EndTimes& end_times);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_VALIDATION_H_
