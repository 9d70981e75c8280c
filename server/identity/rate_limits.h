// Rate limits of callers: the words of SlurmctldParameters that begin with rl_, as in
// slurm.conf(5).
#ifndef PRIORITYD_SERVER_IDENTITY_RATE_LIMITS_H_
#define PRIORITYD_SERVER_IDENTITY_RATE_LIMITS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace priorityd::identity {

struct RateLimits {
  bool enabled = false;      // rl_enable
  int64_t bucket_size = 30;  // Calls at once.
  int64_t refill_rate = 2;   // Calls refilled each period.
  absl::Duration refill_period = absl::Seconds(1);
  int64_t table_size = 8192;  // Maximum distinct callers.
  // Minimum time between two log lines about one caller; zero = log each refusal, infinite = none.
  absl::Duration log_period = absl::ZeroDuration();

  // For messages: `want at most 30 calls at once and 2 per 1s`.
  std::string Describe() const;
  bool operator==(const RateLimits&) const = default;
};

// The largest allowed number.
inline constexpr int64_t kMostOfRate = 1'000'000;

// Reads one word into `limits`: rl_enable, rl_bucket_size=N, rl_refill_rate=N,
// rl_refill_period=SECONDS, rl_table_size=N, each from 1 to kMostOfRate, or rl_log_freq=SECONDS
// from -1 (never). INVALID_ARGUMENT, `got X, want Y`, for any other.
absl::Status ReadRateLimit(absl::string_view word, RateLimits* limits);

}  // namespace priorityd::identity

#endif  // PRIORITYD_SERVER_IDENTITY_RATE_LIMITS_H_
