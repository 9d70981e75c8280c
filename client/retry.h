// Retries of calls after transient errors.
#ifndef PRIORITYD_CLIENT_RETRY_H_
#define PRIORITYD_CLIENT_RETRY_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"

namespace priorityd::client {

// The policy of retries. With the defaults all waits are at most 0.7 seconds:
// short enough for interactive use.
struct RetryPolicy {
  // Attempts in all; 1 = no retry.
  int max_attempts = 4;
  // The wait before the second attempt; it doubles for each further one. Half of
  // a wait is random, so that many clients do not retry at the same time.
  absl::Duration initial_backoff = absl::Milliseconds(100);
  // The longest wait, unless the service asks for a longer one.
  absl::Duration max_backoff = absl::Seconds(5);
};

// Whether the same call may succeed later: UNAVAILABLE; ABORTED, unless the snapshot of
// a page is no longer kept; or RESOURCE_EXHAUSTED with a retry delay (without one it is a
// size limit).
bool IsTransient(const absl::Status& status);

// Whether the call exceeded the service's rate limit: the service did not begin it.
bool IsRateLimited(const absl::Status& status);

// The wait before the first attempt to reconnect after a working stream broke: the policy's first
// wait, or the one that the service asks for.
absl::Duration ReconnectWait(const RetryPolicy& policy, const absl::Status& lost);

// Calls `call` until success, a permanent error, or the end of the policy or of
// `deadline`; returns the last outcome. Waits by `sleep`, at least as long as the service asks for.
// A rate limit is no failure and does not count as an attempt: only the deadline ends the retries.
// REQUIRES: `call` is idempotent.
absl::Status CallWithRetry(const RetryPolicy& policy, absl::Time deadline,
                           absl::FunctionRef<absl::Status()> call,
                           absl::FunctionRef<void(absl::Duration)> sleep);

}  // namespace priorityd::client

#endif  // PRIORITYD_CLIENT_RETRY_H_
