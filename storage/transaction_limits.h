// How long a transaction may take.
#ifndef STORAGE_TRANSACTION_LIMITS_H_
#define STORAGE_TRANSACTION_LIMITS_H_

#include "absl/time/time.h"

namespace priorityd::storage {

// What a statement may take before PostgreSQL cancels it and the transaction is lost.
// docs/operations.md lists the kinds of transactions with their limits.
struct TransactionLimits {
  // Waiting for one lock; then IsLockTimeout (status.h), which nobody retries unasked.
  absl::Duration lock = absl::InfiniteDuration();
  // All of it, waiting included; then UNAVAILABLE. A COMMIT has no limit: one that waits for a
  // synchronous standby would be cut short, and taken for done.
  absl::Duration statement = absl::InfiniteDuration();
  bool operator==(const TransactionLimits&) const = default;
};

// Of whatever nothing else is said about.
inline constexpr TransactionLimits kUsualLimits = {.lock = absl::Seconds(10),
                                                   .statement = absl::Minutes(10)};
inline constexpr TransactionLimits kNoLimits = {};

}  // namespace priorityd::storage

#endif  // STORAGE_TRANSACTION_LIMITS_H_
