#include "client/retry.h"

#include <algorithm>
#include <random>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "client/rpc_error.h"

namespace priorityd::client {
namespace {

// Reasons for which the same call will never succeed: the snapshot of the page is no longer kept,
// or the object changed since the caller read it.
constexpr absl::string_view kForGood[] = {"SNAPSHOT_GONE", "ETAG_MISMATCH",
                                          "POLICY_VERSION_MISMATCH"};
constexpr char kRateLimited[] = "RATE_LIMITED";

// A random time between half of `backoff` and all of it.
absl::Duration WithJitter(absl::Duration backoff) {
  thread_local std::minstd_rand random{std::random_device{}()};
  return backoff * std::uniform_real_distribution<double>(0.5, 1.0)(random);
}

}  // namespace

bool IsTransient(const absl::Status& status) {
  if (absl::IsAborted(status)) return !absl::c_linear_search(kForGood, Reason(status));
  return absl::IsUnavailable(status) ||
         (absl::IsResourceExhausted(status) && RetryDelay(status).has_value());
}

bool IsRateLimited(const absl::Status& status) {
  return absl::IsResourceExhausted(status) && Reason(status) == kRateLimited &&
         RetryDelay(status).has_value();
}

absl::Duration ReconnectWait(const RetryPolicy& policy, const absl::Status& lost) {
  return std::max(RetryDelay(lost).value_or(absl::ZeroDuration()),
                  WithJitter(policy.initial_backoff));
}

absl::Status CallWithRetry(const RetryPolicy& policy, absl::Time deadline,
                           absl::FunctionRef<absl::Status()> call,
                           absl::FunctionRef<void(absl::Duration)> sleep) {
  absl::Duration backoff = policy.initial_backoff;
  for (int attempt = 1;;) {
    absl::Status status = call();
    if (status.ok() || !IsTransient(status)) return status;
    if (!IsRateLimited(status) && attempt++ >= policy.max_attempts) return status;
    const absl::Duration asked = RetryDelay(status).value_or(absl::ZeroDuration());
    const absl::Duration wait = std::max(asked, WithJitter(backoff));
    if (absl::Now() + wait >= deadline) return status;
    sleep(wait);
    backoff = std::min(backoff * 2, policy.max_backoff);
  }
}

}  // namespace priorityd::client
