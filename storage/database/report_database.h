// The database from which reports are read: a streaming standby while it is up to date, otherwise
// the primary.
#ifndef STORAGE_DATABASE_REPORT_DATABASE_H_
#define STORAGE_DATABASE_REPORT_DATABASE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "storage/database/database.h"

namespace priorityd::storage {

struct ReportOptions {
  // Connections to a standby of the primary; an empty url = none: the primary serves all reports.
  // Of several hosts a standby is preferred.
  DatabaseOptions standby;
  // The standby serves while the last transaction that it replayed was committed at most this long
  // ago by its host's clock. The heartbeats of replicas commit every few seconds.
  absl::Duration most_lag = absl::Seconds(30);
};

// As of the last look.
struct StandbyState {
  bool serves = false;
  std::optional<absl::Duration>
      lag;              // See ReportOptions::most_lag; nullopt = it could not be read.
  std::string failure;  // The reason that it does not serve; empty = it serves.
};

// Reads by the server of each; since the start.
struct ReportReads {
  int64_t standby = 0;
  int64_t primary = 0;
};

// Thread-safe.
class ReportDatabase {
 public:
  // `primary` must outlive it.
  ReportDatabase(Database* primary, ReportOptions options);

  Database& primary() const { return *primary_; }
  // Null = there is no standby.
  const Database* standby() const { return standby_.get(); }

  // Checks whether the standby serves. Call at intervals: until the first look, and after a failed
  // one, the primary serves. Returns why the standby does not serve.
  absl::Status Look() ABSL_LOCKS_EXCLUDED(mutex_);

  StandbyState State() const ABSL_LOCKS_EXCLUDED(mutex_);
  ReportReads Reads() const ABSL_LOCKS_EXCLUDED(mutex_);

  // As Database::Read, for `work` whose result may be as old as ReportOptions::most_lag. It is run
  // on the standby, which is checked in the same transaction, and if that fails on the primary.
  // Work that lacks data on the standby or cannot finish there (NOT_FOUND, a conflict with its
  // recovery) is left to the primary too. UNAVAILABLE, naming both, if neither serves.
  template <typename Work>
  ResultOf<Work> Read(Work&& work) {
    absl::Status why;
    if (Serves(&why)) {
      auto result = standby_->Read([&](Transaction& transaction) -> ResultOf<Work> {
        if (absl::Status s = Check(transaction); !s.ok()) return s;
        return work(transaction);
      });
      why = StatusOf(result);
      if (IsFinal(why)) {
        Count(&ReportReads::standby);
        return result;
      }
      NoteFailure(why);
    }
    Count(&ReportReads::primary);
    auto result = primary_->Read(work);
    if (why.ok() || !absl::IsUnavailable(StatusOf(result))) return result;
    return NeitherServes(why, StatusOf(result));
  }

 private:
  static const absl::Status& StatusOf(const absl::Status& status) { return status; }
  template <typename T>
  static const absl::Status& StatusOf(const absl::StatusOr<T>& result) {
    return result.status();
  }
  // Whether the primary would answer the same, or its answer is not needed.
  static bool IsFinal(const absl::Status& status);
  static absl::Status NeitherServes(const absl::Status& standby, const absl::Status& primary);

  // As of the last look; `why`: it does not, OK if there is no standby.
  bool Serves(absl::Status* why) const ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether the transaction is one of a standby of the primary that is up to date.
  absl::Status Check(Transaction& transaction) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<std::string> ReadSystem(Database& database);
  void NoteFailure(const absl::Status& why) ABSL_LOCKS_EXCLUDED(mutex_);
  void Count(int64_t ReportReads::*reads) ABSL_LOCKS_EXCLUDED(mutex_);

  Database* const primary_;
  const absl::Duration most_lag_;
  const std::unique_ptr<Database> standby_;
  mutable absl::Mutex mutex_;
  StandbyState state_ ABSL_GUARDED_BY(mutex_);
  ReportReads reads_ ABSL_GUARDED_BY(mutex_);
  std::string system_ ABSL_GUARDED_BY(mutex_);  // The primary's system identifier; empty = unknown.
};

}  // namespace priorityd::storage

#endif  // STORAGE_DATABASE_REPORT_DATABASE_H_
