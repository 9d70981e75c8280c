#include "storage/database/status.h"

#include <spdlog/spdlog.h>

#include <chrono>
#include <exception>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/ascii.h"
#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "absl/synchronization/mutex.h"
#include "storage/database/read_context.h"

namespace priorityd::storage {
namespace {

constexpr char kDiskFullPayload[] = "priorityd.storage/disk_full";
constexpr char kFrozenPayload[] = "priorityd.storage/cluster_frozen";
constexpr char kLockTimeoutPayload[] = "priorityd.storage/lock_timeout";

absl::Status Unavailable() {
  return absl::UnavailableError("the database is not available; retry");
}

absl::Status DiskFull() {
  absl::Status status =
      absl::UnavailableError("the database's disk is full; free space there, and retry");
  status.SetPayload(kDiskFullPayload, absl::Cord());
  return status;
}

DatabaseError Canceled() {
  absl::Status ended = ReadContext::CheckCurrent();
  if (!ended.ok()) return {std::move(ended), Failure::kCanceled};
  return {
      absl::UnavailableError("the database canceled a statement, which took too long; retry later"),
      Failure::kStatement};
}

absl::Status ClusterFrozen() {
  absl::Status status = absl::UnavailableError("the cluster is being moved to another cell; retry");
  status.SetPayload(kFrozenPayload, absl::Cord());
  return status;
}

DatabaseError FromSqlState(absl::string_view sqlstate) {
  // libpq itself reports errors without a state, such as a connection that was lost.
  if (sqlstate.empty()) return {Unavailable(), Failure::kConnection};
  if (sqlstate == "57P01" || sqlstate == "57P02" || sqlstate == "57P03" || sqlstate == "57P05" ||
      absl::StartsWith(sqlstate, "08")) {
    return {Unavailable(), Failure::kConnection};
  }
  // 25006: a primary that became a standby.
  if (sqlstate == "25006") return {Unavailable(), Failure::kConnection};
  if (sqlstate == "53100") return {DiskFull(), Failure::kStatement};
  if (sqlstate == "57014") return Canceled();
  if (absl::StartsWith(sqlstate, "53") || absl::StartsWith(sqlstate, "57") ||
      absl::StartsWith(sqlstate, "58")) {
    return {Unavailable(), Failure::kStatement};
  }
  // Of priorityd.require_writable.
  if (sqlstate == "PM001") return {ClusterFrozen(), Failure::kStatement};
  if (sqlstate == "55P03") return {LockTimeoutError(), Failure::kStatement};
  if (absl::StartsWith(sqlstate, "40")) {
    return {absl::AbortedError("the transaction met another one; retry"), Failure::kRetryable};
  }
  if (sqlstate == "23505") {
    return {absl::AlreadyExistsError("the object exists already"), Failure::kStatement};
  }
  if (sqlstate == "23503" || sqlstate == "23001") {
    return {absl::FailedPreconditionError("the object refers to one that does not exist, or is "
                                          "referred to by others"),
            Failure::kStatement};
  }
  if (absl::StartsWith(sqlstate, "23") || absl::StartsWith(sqlstate, "22")) {
    return {absl::InvalidArgumentError("a value is outside what the database accepts"),
            Failure::kStatement};
  }
  return {absl::InternalError("the database refused a statement"), Failure::kStatement};
}

constexpr char kConnect[] = "connect";
constexpr std::chrono::seconds kBetweenLines(30);

// Of errors that come again and again: how many lines were left out since the last one that was
// logged.
class FrequentErrors {
 public:
  // nullopt = not this one.
  std::optional<int> Count() {
    absl::MutexLock lock(&mutex_);
    const Steady::time_point now = Steady::now();
    if (logged_at_.has_value() && now - *logged_at_ < kBetweenLines) {
      ++left_out_;
      return std::nullopt;
    }
    logged_at_ = now;
    return std::exchange(left_out_, 0);
  }

 private:
  // It never goes back.
  using Steady = std::chrono::steady_clock;

  absl::Mutex mutex_;
  std::optional<Steady::time_point> logged_at_ ABSL_GUARDED_BY(mutex_);
  int left_out_ ABSL_GUARDED_BY(mutex_) = 0;
};

void LogSome(FrequentErrors* errors, const std::string& activity, const std::string& detail) {
  const std::optional<int> left_out = errors->Count();
  if (!left_out.has_value()) return;
  if (*left_out == 0) {
    spdlog::warn("storage: {}: {}", activity, detail);
  } else {
    spdlog::warn("storage: {}: {} ({} more since the last such line)", activity, detail, *left_out);
  }
}

DatabaseError Logged(absl::string_view activity, absl::string_view detail, DatabaseError error) {
  // PostgreSQL ends its messages with a newline, and some have one inside.
  const std::string line =
      absl::StrReplaceAll(absl::StripAsciiWhitespace(detail), {{"\n\t", " "}, {"\n", " "}});
  static auto* const connect_errors = new FrequentErrors;
  static auto* const lock_errors = new FrequentErrors;
  if (error.failure == Failure::kCanceled) {
    spdlog::debug("storage: {}: {}: {}", std::string(activity), error.status.ToString(), line);
  } else if (activity == kConnect) {
    LogSome(connect_errors, kConnect, line);
  } else if (IsLockTimeout(error.status) || IsClusterFrozen(error.status)) {
    LogSome(lock_errors, std::string(activity), line);
  } else {
    spdlog::warn("storage: {}: {}", std::string(activity), line);
  }
  return error;
}

}  // namespace

bool IsDiskFull(const absl::Status& status) {
  return status.GetPayload(kDiskFullPayload).has_value();
}

bool IsClusterFrozen(const absl::Status& status) {
  return status.GetPayload(kFrozenPayload).has_value();
}

bool IsLockTimeout(const absl::Status& status) {
  return status.GetPayload(kLockTimeoutPayload).has_value();
}

absl::Status LockTimeoutError() {
  absl::Status status =
      absl::UnavailableError("a lock that another transaction holds was not free in time; retry");
  status.SetPayload(kLockTimeoutPayload, absl::Cord());
  return status;
}

DatabaseError CurrentConnectError() { return CurrentDatabaseError(kConnect); }

absl::Status ClusterDeletedError() {
  return absl::NotFoundError("cluster: got one that was just deleted, want one that is there");
}

DatabaseError CurrentDatabaseError(absl::string_view activity) {
  try {
    throw;
  } catch (const pqxx::broken_connection& e) {
    return Logged(activity, e.what(), {Unavailable(), Failure::kConnection});
  } catch (const pqxx::in_doubt_error& e) {
    return Logged(activity, e.what(),
                  {absl::AbortedError("the database was lost while it committed; the outcome is "
                                      "unknown, send the same again"),
                   Failure::kConnection});
  } catch (const pqxx::statement_completion_unknown& e) {
    return Logged(activity, e.what(), FromSqlState("08006"));
  } catch (const pqxx::transaction_rollback& e) {
    return Logged(activity, e.what(), FromSqlState("40001"));
  } catch (const pqxx::unique_violation& e) {
    return Logged(activity, e.what(), FromSqlState("23505"));
  } catch (const pqxx::sql_error& e) {
    return Logged(activity, e.what(), FromSqlState(e.sqlstate()));
  } catch (const pqxx::failure& e) {
    // The error of libpqxx when it needs a connection that is closed already for something else:
    // "Could not obtain client encoding: not connected."
    return Logged(activity, e.what(), {Unavailable(), Failure::kConnection});
  } catch (const pqxx::pqxx_exception& e) {
    return Logged(activity, e.base().what(),
                  {absl::InternalError("the database driver failed"), Failure::kConnection});
  } catch (const std::exception& e) {
    return Logged(activity, e.what(),
                  {absl::InternalError("the database driver failed"), Failure::kConnection});
  }
}

}  // namespace priorityd::storage
