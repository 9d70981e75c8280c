// What can be said of a usage record without knowing the cluster.
#ifndef PRIORITYD_SERVER_USAGE_VALIDATION_H_
#define PRIORITYD_SERVER_USAGE_VALIDATION_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/usage/usage_submission.h"

namespace priorityd::usage {

// Counts, billing and counters above this are refused, so that no sum of usage
// overflows.
inline constexpr double kMaxAmount = 1e18;
// No record spans more.
inline constexpr absl::Duration kMaxSpan = absl::Hours(24 * 3660);
// No record_id that a client chooses may begin so: those of intervals that are made
// of counters do.
inline constexpr absl::string_view kCountersPrefix = "counters:";

// When a record may end, both inclusive.
struct EndTimes {
  absl::Time earliest = absl::InfinitePast();  // The cluster's ledger horizon.
  absl::Time latest = absl::InfiniteFuture();
};

// `tres["gres/gpu"]`, of any name.
std::string TresField(absl::string_view name, absl::string_view field = "tres");

// The first fault, nullopt if there is none. What it says is short, whatever the record holds.
std::optional<Rejection> FindFault(const UsageSubmission& record, const EndTimes& end_times);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_VALIDATION_H_
