// Trying a call again after an error that may pass.
#ifndef PRIORITYD_CLIENT_RETRY_H_
#define PRIORITYD_CLIENT_RETRY_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"

namespace priorityd::client {

// When to try again, and how often. The defaults give up after 0.7 seconds at
// the latest: short enough for a person to wait.
struct RetryPolicy {
  // Calls in all; 1 = never again.
  int max_attempts = 4;
  // Before the second attempt; doubles for each further one. Half of a wait is
  // random, so that many clients do not come back at the same moment.
  absl::Duration initial_backoff = absl::Milliseconds(100);
  // No wait is longer, unless the service asks for it.
  absl::Duration max_backoff = absl::Seconds(5);
};

// Whether the same call may succeed later: UNAVAILABLE; ABORTED, unless the snapshot that
// a page is of is gone; or RESOURCE_EXHAUSTED that says when to come back (without that it
// is a size limit).
bool IsTransient(const absl::Status& status);

// Whether the caller calls more often than the service allows her: the call was not begun.
bool IsRateLimited(const absl::Status& status);

// How long to wait where what worked has broken: the policy's first wait, or what the service asks
// for.
absl::Duration ReconnectWait(const RetryPolicy& policy, const absl::Status& lost);

// Calls `call` until it succeeds, fails for good, or the policy or `deadline`
// ends it; answers the last outcome. Waits by `sleep`, at least as long as the
// service asks for. Who is rate-limited is no failure and counts as no attempt: only the deadline
// ends it. REQUIRES: repeating `call` is harmless.
absl::Status CallWithRetry(const RetryPolicy& policy, absl::Time deadline,
                           absl::FunctionRef<absl::Status()> call,
                           absl::FunctionRef<void(absl::Duration)> sleep);

}  // namespace priorityd::client

#endif  // PRIORITYD_CLIENT_RETRY_H_
