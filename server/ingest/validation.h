// What can be said of a usage record without knowing the cluster.
#ifndef PRIORITYD_SERVER_INGEST_VALIDATION_H_
#define PRIORITYD_SERVER_INGEST_VALIDATION_H_

#include <optional>

#include "absl/time/time.h"
#include "server/ingest/usage_submission.h"

namespace priorityd::ingest {

// Counts and billing above this are refused, so that no sum of usage overflows.
inline constexpr double kMaxAmount = 1e18;

// The first fault, nullopt if there is none. A record may end at `latest_end` at
// the latest.
std::optional<Rejection> FindFault(const UsageSubmission& record, absl::Time latest_end);

}  // namespace priorityd::ingest

#endif  // PRIORITYD_SERVER_INGEST_VALIDATION_H_
