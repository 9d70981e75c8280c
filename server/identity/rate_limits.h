// How often a caller may call: the words of SlurmctldParameters that begin with rl_, as
// slurm.conf(5) has them.
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
  int64_t refill_rate = 2;   // Calls that come back each period.
  absl::Duration refill_period = absl::Seconds(1);
  int64_t table_size = 8192;  // Callers who are told apart.
  // Between two lines of the log about one caller; zero = each refusal, infinite = none.
  absl::Duration log_period = absl::ZeroDuration();

  // `want at most 30 calls at once and 2 per 1s`, for people.
  std::string Describe() const;
  bool operator==(const RateLimits&) const = default;
};

// No number may be larger.
inline constexpr int64_t kMostOfRate = 1'000'000;

// Reads one word into `limits`: rl_enable, rl_bucket_size=N, rl_refill_rate=N,
// rl_refill_period=SECONDS, rl_table_size=N, each from 1 to kMostOfRate, or rl_log_freq=SECONDS
// from -1 (never). INVALID_ARGUMENT, `got X, want Y`, for any other.
absl::Status ReadRateLimit(absl::string_view word, RateLimits* limits);

}  // namespace priorityd::identity

#endif  // PRIORITYD_SERVER_IDENTITY_RATE_LIMITS_H_
