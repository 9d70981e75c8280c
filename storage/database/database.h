// A pool of connections to one PostgreSQL database.
#ifndef STORAGE_DATABASE_DATABASE_H_
#define STORAGE_DATABASE_DATABASE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "storage/database/cancel_watch.h"
#include "storage/database/database_activity.h"
#include "storage/database/read_watch.h"
#include "storage/database/session.h"
#include "storage/database/transaction.h"
#include "storage/database/transaction_kind.h"

namespace priorityd::storage {

struct DatabaseOptions {
  // libpq's connection string: key=value words or a postgresql:// URI.
  std::string url;
  // The largest number of open connections, at least 1.
  int pool_size = 8;
  // The longest time that a call waits for a free connection before RESOURCE_EXHAUSTED.
  absl::Duration acquire_timeout = absl::Seconds(30);
  // application_name of every connection, at most 63 bytes of ASCII. Empty = a globally unique
  // name.
  std::string application_name;
  // The number of attempts of Write for a transaction that conflicts with another one.
  int max_attempts = 10;
  // The duration of a read after which the server is probed, and the timeout of the probe; see
  // ReadWatch.
  absl::Duration read_patience = absl::Seconds(10);
};

// The result of `Work`, a function of a Transaction.
template <typename Work>
using ResultOf = std::decay_t<std::invoke_result_t<Work&, Transaction&>>;

// Thread-safe. Opens connections when needed and keeps them. If one breaks, it and all idle ones
// are closed, so that the next call gets a new session. Does not notice a restart of the server
// while connections are idle.
//
// The server ends a transaction in which no statement runs for 30 s, so that a frozen process
// releases its locks.
//
// A read from a frozen server fails with UNAVAILABLE (ReadWatch), except behind a pooler; a write
// waits, because its COMMIT may have succeeded.
//
// A read whose ReadContext ends waits for no connection and begins no further statement, its
// statement is canceled, and its connection is closed; behind a pooler, which may pass the request
// on to another client, only its deadline ends a statement. A write is never canceled.
//
// A function passed to Read or Write must not call Read or Write: it would use two connections of
// the pool.
class Database {
 public:
  explicit Database(DatabaseOptions options);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // As given, application_name filled in.
  const DatabaseOptions& options() const { return options_; }

  // Reports the identity seen by another connection: if it differs from that of the sessions (see
  // Session::identity), they are replaced. Returns the new Transaction::incarnation.
  int64_t NoteIdentity(const std::string& identity);

  // Reports that the contents of the database were replaced: replaces every session, busy ones
  // after their transaction.
  void StartOver();

  // The current activity of the pool. Does not wait for calls that use a connection.
  DatabaseActivity Activity() const;

  // Runs `work`, a function of a Transaction that returns absl::Status or absl::StatusOr<T>, in a
  // READ COMMITTED transaction. Commits if the result is OK, else rolls back; returns the result,
  // or the error of the database. Retries after serialization failures and deadlocks: `work` may
  // run several times, so it must first reset what it fills outside. ABORTED: see status.h.
  template <typename Work>
  ResultOf<Work> Write(Work&& work) {
    return Write(kUsual, work);
  }

  // As Write, with a specific kind. UNAVAILABLE (IsLockTimeout, not retried) if a statement waited
  // too long for a lock.
  template <typename Work>
  ResultOf<Work> Write(const TransactionKind& kind, Work&& work) {
    return WithResult<Work>([&](StatusWork run) { return WriteStatus(kind, run); }, work);
  }

  // Runs `work` once; it may run at most one statement, which commits when it ends and takes one
  // round trip to the server instead of three. In contrast to Write, a connection that died while
  // idle gives UNAVAILABLE, whether or not the statement was committed.
  template <typename Work>
  ResultOf<Work> WriteAlone(const TransactionKind& kind, Work&& work) {
    return WithResult<Work>([&](StatusWork run) { return AloneStatus(kind, run); }, work);
  }

  // As Write, but once and in a read-only REPEATABLE READ transaction: all data that `work` reads
  // are of the same time.
  template <typename Work>
  ResultOf<Work> Read(Work&& work) {
    return WithResult<Work>([this](StatusWork run) { return ReadStatus(run); }, work);
  }

 private:
  using StatusWork = absl::FunctionRef<absl::Status(Transaction&)>;

  absl::Status WriteStatus(const TransactionKind& kind, StatusWork work);
  absl::Status AloneStatus(const TransactionKind& kind, StatusWork work);
  absl::Status ReadStatus(StatusWork work);

  // Runs `work` by `run`, which knows of statuses only.
  template <typename Work, typename Run>
  static ResultOf<Work> WithResult(Run run, Work& work) {
    if constexpr (std::is_same_v<ResultOf<Work>, absl::Status>) {
      return run(work);
    } else {
      ResultOf<Work> result = absl::UnknownError("not run");
      absl::Status status = run([&](Transaction& transaction) {
        result = work(transaction);
        return result.status();
      });
      return status.ok() ? std::move(result) : ResultOf<Work>(std::move(status));
    }
  }

  class Lease;

  // Waits for a free connection: RESOURCE_EXHAUSTED after the timeout, and of a read the errors of
  // its ReadContext.
  absl::Status AwaitPlace(AccessMode mode) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // An idle session, preferably one that had this kind last, or a new one (`fresh`).
  absl::StatusOr<std::unique_ptr<Session>> Acquire(bool fresh, AccessMode mode,
                                                   const TransactionKind& kind);
  std::unique_ptr<Session> TakeIdle(const TransactionKind& kind)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<std::unique_ptr<Session>> Open();
  // The state of a session after its transaction.
  enum class Next { kIdle, kClosed, kAllClosed };
  void Release(std::unique_ptr<Session> session, Next next);
  // Runs it on this session, watched if it reads.
  TransactionEnd RunOn(Lease& lease, AccessMode mode, const TransactionKind& kind, StatusWork work);
  TransactionEnd Run(AccessMode mode, const TransactionKind& kind, StatusWork work);

  const DatabaseOptions options_;
  // Counts what failed.
  void Count(const TransactionEnd& end);

  mutable absl::Mutex mutex_;
  absl::CondVar place_free_;
  std::vector<std::unique_ptr<Session>> idle_ ABSL_GUARDED_BY(mutex_);
  int in_use_ ABSL_GUARDED_BY(mutex_) = 0;
  int waiting_ ABSL_GUARDED_BY(mutex_) = 0;
  DatabaseActivity counts_ ABSL_GUARDED_BY(mutex_);  // Since it was made.
  // Of the session opened last; see Session::identity.
  std::string identity_ ABSL_GUARDED_BY(mutex_);
  int64_t incarnation_ ABSL_GUARDED_BY(mutex_) = 0;
  ReadWatch read_watch_;
  CancelWatch cancel_watch_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_DATABASE_DATABASE_H_
