// The one place that turns what PostgreSQL and libpqxx report into
// absl::Status.
//
// The detail (database text, SQL) is logged; the returned message is generic
// and safe to show to a client. Codes:
//   UNAVAILABLE         connection lost or refused, server starting or stopping,
//                       out of disk, memory or connections, a lock that was not free in
//                       time, a statement that took too long: retry later
//   ABORTED             serialization failure, deadlock, or a connection lost
//                       during COMMIT (the outcome is unknown): retry the
//                       whole transaction, idempotently
//   ALREADY_EXISTS      unique violation
//   FAILED_PRECONDITION foreign key or restrict violation
//   INVALID_ARGUMENT    check or not-null violation, value out of range
//   CANCELLED, DEADLINE_EXCEEDED  a statement of which nobody needs the result (read_context.h)
//   INTERNAL            anything else: a bug
#ifndef STORAGE_DATABASE_STATUS_H_
#define STORAGE_DATABASE_STATUS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace priorityd::storage {

// The consequence of a failed statement for the transaction and its connection.
enum class Failure {
  kStatement,   // the transaction is lost, the connection is fine
  kRetryable,   // as above; the same transaction may well succeed next time
  kCanceled,    // as kStatement, and no fault: the result was no longer needed
  kConnection,  // the connection is lost too
};

struct DatabaseError {
  absl::Status status;
  Failure failure = Failure::kStatement;
};

// Whether the status is the UNAVAILABLE of a database whose disk is full.
bool IsDiskFull(const absl::Status& status);

// Whether the status is the UNAVAILABLE of a statement that reached its lock timeout
// (transaction_kind.h).
bool IsLockTimeout(const absl::Status& status);

// The UNAVAILABLE that IsLockTimeout recognizes.
absl::Status LockTimeoutError();

// Whether the status is the UNAVAILABLE of a cluster that must not be changed, because it is being
// moved to another database.
bool IsClusterFrozen(const absl::Status& status);

// NOT_FOUND: the cluster was deleted after its id was read.
absl::Status ClusterDeletedError();

// REQUIRES: called inside a catch clause. `activity` says what was being done
// and goes to the log only.
DatabaseError CurrentDatabaseError(absl::string_view activity);

// The same for a connection that could not be made, which is logged once in a
// while only: without its database a server tries again and again.
DatabaseError CurrentConnectError();

}  // namespace priorityd::storage

#endif  // STORAGE_DATABASE_STATUS_H_
