// A pool of connections to one PostgreSQL database.
#ifndef STORAGE_DATABASE_H_
#define STORAGE_DATABASE_H_

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
#include "storage/database_activity.h"
#include "storage/read_watch.h"
#include "storage/session.h"
#include "storage/transaction.h"
#include "storage/transaction_kind.h"

namespace priorityd::storage {

struct DatabaseOptions {
  // libpq's connection string: key=value words or a postgresql:// URI.
  std::string url;
  // Connections open at the same time, at least 1.
  int pool_size = 8;
  // How long a caller waits for a free connection before RESOURCE_EXHAUSTED.
  absl::Duration acquire_timeout = absl::Seconds(30);
  // Under which the server knows every connection, at most 63 bytes of ASCII.
  // Empty = a name that no other Database in the world has.
  std::string application_name;
  // How often Write runs a transaction that met another one.
  int max_attempts = 10;
  // How long a read takes before the server is asked whether it is there, and may take to
  // answer that; see ReadWatch.
  absl::Duration read_patience = absl::Seconds(10);
};

// What `Work`, a function of a Transaction, returns.
template <typename Work>
using ResultOf = std::decay_t<std::invoke_result_t<Work&, Transaction&>>;

// Thread-safe. Connections are opened when needed and kept; one that broke is
// destroyed, and with it every idle one, so the next call has a new session.
// A server that restarted while connections were idle goes unnoticed.
//
// A transaction in which no statement runs for 30 s is ended by the server, so that
// a frozen process gives its locks back.
//
// A read that a frozen server does not answer ends UNAVAILABLE (ReadWatch), unless a pooler is
// between; a write waits, as its COMMIT may be done.
//
// A function given to Read or Write must not call Read or Write: it would hold
// two connections of the pool.
class Database {
 public:
  explicit Database(DatabaseOptions options);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // As given, application_name filled in.
  const DatabaseOptions& options() const { return options_; }

  // For who connects to the database too: if it is not that of the sessions (see
  // Session::identity) they are replaced. Returns what Transaction::incarnation will be.
  int64_t NoteIdentity(const std::string& identity);

  // For who learns that the same server has other contents now: every session is replaced,
  // those at work after their transaction.
  void StartOver();

  // What the pool is doing now. Waits for nobody who has a connection.
  DatabaseActivity Activity() const;

  // Runs `work`, a function of a Transaction that returns absl::Status or
  // absl::StatusOr<T>, in a READ COMMITTED transaction. Commits if the result is
  // OK, else rolls back; returns the result, or the error of the database.
  // Serialization failures and deadlocks are tried again: `work` may run several
  // times, so it resets what it fills outside first. ABORTED: see status.h.
  template <typename Work>
  ResultOf<Work> Write(Work&& work) {
    return Write(kUsual, work);
  }

  // As Write, of a kind of its own. UNAVAILABLE (IsLockTimeout, which is not tried again)
  // where a statement waited too long for a lock.
  template <typename Work>
  ResultOf<Work> Write(const TransactionKind& kind, Work&& work) {
    return WithResult<Work>([&](StatusWork run) { return WriteStatus(kind, run); }, work);
  }

  // Runs `work`, once, which runs one statement at most: that is committed as it ends, and costs
  // one round trip to the server where Write takes three. Unlike there, a connection that died
  // while it was idle shows in the answer: UNAVAILABLE, with the statement committed or not.
  template <typename Work>
  ResultOf<Work> WriteAlone(const TransactionKind& kind, Work&& work) {
    return WithResult<Work>([&](StatusWork run) { return AloneStatus(kind, run); }, work);
  }

  // As Write, in a read-only REPEATABLE READ transaction: all that `work` reads is
  // of one moment. Runs it once.
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

  // Waits until a connection may be had; false when none became free in time.
  bool AwaitPlace() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // An idle session, best one that had this kind last, or a new one (`fresh`).
  absl::StatusOr<std::unique_ptr<Session>> Acquire(bool fresh, const TransactionKind& kind);
  std::unique_ptr<Session> TakeIdle(const TransactionKind& kind)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<std::unique_ptr<Session>> Open();
  void Release(std::unique_ptr<Session> session, bool broken);
  // Runs it on this session, watched if it reads.
  TransactionEnd RunOn(Session& session, AccessMode mode, const TransactionKind& kind,
                       StatusWork work);
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
};

}  // namespace priorityd::storage

#endif  // STORAGE_DATABASE_H_
