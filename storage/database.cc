#include "storage/database.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <pqxx/pqxx>
#include <utility>

#include "absl/random/random.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "storage/connection_string.h"

namespace priorityd::storage {
namespace {

// JIT compilation costs a report a second and saves none of our statements as much. A frozen
// process would keep its locks for ever; no transaction of ours thinks for half a minute.
constexpr char kSessionSettings[] =
    "SET idle_in_transaction_session_timeout = '30s'; "
    "SET TIME ZONE 'UTC'; SET DateStyle = 'ISO'; SET client_encoding = 'UTF8'; "
    "SET extra_float_digits = 1; SET standard_conforming_strings = on; "
    "SET client_min_messages = warning; SET jit = off";

using WriteTransaction = pqxx::transaction<pqxx::read_committed, pqxx::read_write>;
using ReadTransaction = pqxx::transaction<pqxx::repeatable_read, pqxx::read_only>;

// libpqxx writes the server's notices to stderr unless told otherwise.
class NoticeLog : public pqxx::errorhandler {
 public:
  explicit NoticeLog(pqxx::connection_base& connection) : pqxx::errorhandler(connection) {}
  bool operator()(const char message[]) noexcept override {
    spdlog::debug("storage: notice: {}", message);
    return false;
  }
};

// HOST:PID is for people, the random part makes it unique.
DatabaseOptions Named(DatabaseOptions options) {
  if (!options.application_name.empty()) return options;
  char host[64] = "";
  gethostname(host, sizeof(host) - 1);
  absl::BitGen random;
  options.application_name =
      absl::StrCat("priorityd ", absl::string_view(host).substr(0, 24), ":", getpid(), " ",
                   absl::Hex(absl::Uniform<uint64_t>(random), absl::kZeroPad16));
  return options;
}

}  // namespace

// One connection, which never reconnects by itself: a new session would lack
// the settings, and the caller would not know.
class Database::Session {
 public:
  explicit Session(const std::string& connection_string)
      : connection_(connection_string), notices_(connection_) {
    pqxx::nontransaction(connection_).exec(kSessionSettings);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    connection_.inhibit_reactivation(true);
#pragma GCC diagnostic pop
  }

  pqxx::connection& connection() { return connection_; }

 private:
  pqxx::connection connection_;
  NoticeLog notices_;
};

// Gives its session back to the pool when it goes out of scope.
class Database::Lease {
 public:
  Lease(Database* database, std::unique_ptr<Session> session)
      : database_(database), session_(std::move(session)) {}
  ~Lease() { database_->Release(std::move(session_), broken_); }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  pqxx::connection& connection() { return session_->connection(); }
  void MarkBroken() { broken_ = true; }

 private:
  Database* const database_;
  std::unique_ptr<Session> session_;
  bool broken_ = false;
};

Database::Database(DatabaseOptions options) : options_(Named(std::move(options))) {}
Database::~Database() = default;

absl::StatusOr<std::unique_ptr<Database::Session>> Database::Acquire(bool fresh) {
  {
    absl::MutexLock lock(&mutex_);
    const absl::Time deadline = absl::Now() + options_.acquire_timeout;
    while (in_use_ >= std::max(options_.pool_size, 1)) {
      if (place_free_.WaitWithDeadline(&mutex_, deadline)) {
        return absl::ResourceExhaustedError("all database connections are in use; try again");
      }
    }
    ++in_use_;
    if (!fresh && !idle_.empty()) {
      std::unique_ptr<Session> session = std::move(idle_.back());
      idle_.pop_back();
      return session;
    }
  }
  absl::StatusOr<std::unique_ptr<Session>> session;
  try {
    absl::StatusOr<std::string> connection_string =
        CompleteConnectionString(options_.url, options_.application_name);
    connection_string.ok() ? session = std::make_unique<Session>(*connection_string)
                           : session = connection_string.status();
  } catch (...) {
    session = CurrentConnectError().status;
  }
  if (!session.ok()) Release(nullptr, /*broken=*/true);
  return session;
}

void Database::Release(std::unique_ptr<Session> session, bool broken) {
  std::vector<std::unique_ptr<Session>> dropped;  // closed after the mutex is free
  absl::MutexLock lock(&mutex_);
  --in_use_;
  place_free_.Signal();
  if (broken) {
    dropped = std::move(idle_);
    idle_.clear();
    if (session != nullptr) dropped.push_back(std::move(session));
  } else if (in_use_ + static_cast<int>(idle_.size()) < std::max(options_.pool_size, 1)) {
    idle_.push_back(std::move(session));
  } else {
    dropped.push_back(std::move(session));
  }
}

template <typename PqxxTransaction>
absl::Status Database::Run(StatusWork work, Failure* failure) {
  // A connection that died while idle shows at BEGIN, before anything ran, so
  // a second try, on a new one, is safe.
  for (bool fresh : {false, true}) {
    absl::StatusOr<std::unique_ptr<Session>> session = Acquire(fresh);
    if (!session.ok()) return session.status();
    Lease lease(this, *std::move(session));
    std::optional<PqxxTransaction> transaction;
    const char* activity = "begin";
    try {
      transaction.emplace(lease.connection());
      activity = "transaction";
      Transaction handle(*transaction);
      absl::Status status = work(handle);
      if (handle.error().has_value()) {
        *failure = handle.error()->failure;
        if (*failure == Failure::kConnection) lease.MarkBroken();
        return status.ok() ? handle.error()->status : status;
      }
      if (!status.ok()) return status;
      activity = "commit";
      transaction->commit();
      return absl::OkStatus();
    } catch (...) {
      DatabaseError error = CurrentDatabaseError(activity);
      *failure = error.failure;
      if (error.failure == Failure::kConnection) lease.MarkBroken();
      bool retry = !fresh && !transaction.has_value() && error.failure == Failure::kConnection;
      if (!retry) return error.status;
    }
  }
  return absl::UnavailableError("the database is not available; try again");
}

absl::Status Database::WriteStatus(StatusWork work) {
  for (int attempt = 1;; ++attempt) {
    Failure failure = Failure::kStatement;
    absl::Status status = Run<WriteTransaction>(work, &failure);
    if (status.ok() || failure != Failure::kRetryable || attempt >= options_.max_attempts) {
      return status;
    }
    absl::SleepFor(absl::Milliseconds(attempt * attempt));
  }
}

absl::Status Database::ReadStatus(StatusWork work) {
  Failure failure = Failure::kStatement;
  return Run<ReadTransaction>(work, &failure);
}

}  // namespace priorityd::storage
