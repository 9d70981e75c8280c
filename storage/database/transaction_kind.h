// The timeouts of a kind of transaction, and how its statements are planned.
#ifndef STORAGE_DATABASE_TRANSACTION_KIND_H_
#define STORAGE_DATABASE_TRANSACTION_KIND_H_

#include "absl/time/time.h"

namespace priorityd::storage {

// docs/operations.md lists the kinds of transactions with their limits: what a statement may take
// before PostgreSQL cancels it and the transaction is lost.
struct TransactionKind {
  // Waiting for one lock; then IsLockTimeout (status.h), which is not retried automatically.
  absl::Duration lock = absl::InfiniteDuration();
  // All of it, waiting included; then UNAVAILABLE. Of a read also the time until the deadline of
  // its ReadContext. A COMMIT has no limit: one that waits for a synchronous standby would be cut
  // short, and taken for done.
  absl::Duration statement = absl::InfiniteDuration();
  // Its statements, a few that are run again and again, find rows by keys that they are given. The
  // connection keeps them with their plans, and PostgreSQL looks each key up in an index, whatever
  // it knew of the tables as it planned: they may have been empty.
  bool by_key = false;

  TransactionKind ByKey() const {
    TransactionKind kind = *this;
    kind.by_key = true;
    return kind;
  }
  bool operator==(const TransactionKind&) const = default;
};

// The default kind.
inline constexpr TransactionKind kUsual = {.lock = absl::Seconds(10),
                                           .statement = absl::Minutes(10)};
inline constexpr TransactionKind kNoLimits = {};

}  // namespace priorityd::storage

#endif  // STORAGE_DATABASE_TRANSACTION_KIND_H_
