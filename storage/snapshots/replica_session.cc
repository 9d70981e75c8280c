#include "storage/snapshots/replica_session.h"

#include <chrono>
#include <pqxx/pqxx>
#include <string>
#include <utility>

#include "storage/database/connection.h"
#include "storage/database/connection_string.h"
#include "storage/database/local_setting.h"
#include "storage/database/status.h"

namespace priorityd::storage {
namespace {

constexpr char kChannel[] = "priorityd";

// The limit for statements that wait: the process that blocks them may be frozen.
constexpr char kSettings[] = "SET lock_timeout = '2s'; SET statement_timeout = '10s'; ";

// A table has another file once it was created again, or truncated.
constexpr char kRead[] =
    "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, "
    "coalesce(pg_relation_filenode(to_regclass('priorityd.cluster'))::bigint, 0), pg_backend_pid()";

// One statement, so that no process can freeze between lock and lease.
constexpr char kTakeOver[] =
    "WITH free AS MATERIALIZED (SELECT pg_try_advisory_lock(7411, 2) AS taken) "
    "UPDATE priorityd.leader_lease SET epoch = epoch + 1, holder = $1, "
    "expires_at = clock_timestamp() + make_interval(secs => $2) "
    "FROM free WHERE free.taken RETURNING epoch";
constexpr char kRenew[] =
    "UPDATE priorityd.leader_lease SET expires_at = clock_timestamp() + "
    "make_interval(secs => $2) WHERE epoch = $1 RETURNING epoch";
constexpr char kEvictExpired[] =
    "SELECT pg_terminate_backend(a.pid, 1000) FROM priorityd.leader_lease l "
    "JOIN pg_stat_activity a ON a.application_name = l.holder AND a.datname = current_database() "
    "WHERE l.expires_at < clock_timestamp() AND l.holder <> $1";
constexpr char kResign[] = "SELECT pg_advisory_unlock(7411, 2), pg_notify('priorityd', '')";
constexpr char kLockReplicaSession[] =
    "SELECT epoch FROM priorityd.leader_lease WHERE epoch = $1 FOR KEY SHARE";

}  // namespace

class ReplicaSession::Listener {
 public:
  class Receiver : public pqxx::notification_receiver {
   public:
    // `name`: under which this replica connects.
    Receiver(pqxx::connection_base& connection, std::string name)
        : pqxx::notification_receiver(connection, kChannel), name_(std::move(name)) {}
    void operator()(const std::string& payload, int backend_pid) override {
      Notification notification = FromPayload(payload);
      if (notification.subject == Subject::kQueue && HasBackend(backend_pid, name_)) return;
      heard_.push_back(std::move(notification));
    }
    // Whether there were some.
    bool Take(Notifications* heard) {
      const Notifications taken = std::exchange(heard_, {});
      if (heard != nullptr) heard->insert(heard->end(), taken.begin(), taken.end());
      return !taken.empty();
    }

   private:
    const std::string name_;
    Notifications heard_;
  };

  Listener(const std::string& connection_string, std::string name)
      : connection_(connection_string, kSettings), receiver_(connection_.get(), std::move(name)) {}

  Connection& connection() { return connection_; }
  pqxx::connection_base& get() { return connection_.get(); }
  Receiver& receiver() { return receiver_; }

 private:
  Connection connection_;
  Receiver receiver_;
};

ReplicaSession::ReplicaSession(std::unique_ptr<Listener> listener, std::string name)
    : listener_(std::move(listener)), name_(std::move(name)) {}

// If it fails, the lock ends with the connection.
ReplicaSession::~ReplicaSession() { Resign().IgnoreError(); }

absl::Status ReplicaSession::Resign() {
  if (!epoch_.has_value()) return absl::OkStatus();
  try {
    pqxx::nontransaction(listener_->get()).exec(kResign);
    epoch_.reset();
    return absl::OkStatus();
  } catch (...) {
    return CurrentDatabaseError("resign").status;
  }
}

template <typename Function>
auto ReplicaSession::Try(Function function) -> decltype(function()) {
  try {
    return function();
  } catch (...) {
    return CurrentDatabaseError("election").status;
  }
}

absl::StatusOr<std::unique_ptr<ReplicaSession>> ReplicaSession::Open(const Database& database) {
  const DatabaseOptions& options = database.options();
  absl::StatusOr<std::string> words =
      CompleteConnectionString(options.url, options.application_name);
  if (!words.ok()) return words.status();
  try {
    auto listener = std::make_unique<Listener>(*words, options.application_name);
    return std::unique_ptr<ReplicaSession>(
        new ReplicaSession(std::move(listener), options.application_name));
  } catch (...) {
    return CurrentConnectError().status;
  }
}

absl::StatusOr<std::optional<int64_t>> ReplicaSession::Campaign(absl::Duration lease) {
  return Try([&] { return epoch_.has_value() ? Renew(lease) : TakeOver(lease); });
}

absl::StatusOr<std::optional<int64_t>> ReplicaSession::Renew(absl::Duration lease) {
  pqxx::work work(listener_->get());
  work.exec(kDoNotWaitForDisk);
  const bool kept = !work.exec_params(kRenew, *epoch_, absl::ToDoubleSeconds(lease)).empty();
  work.commit();
  if (!kept) return absl::UnavailableError("another replica took the leadership over");
  return epoch_;
}

absl::StatusOr<std::optional<int64_t>> ReplicaSession::TakeOver(absl::Duration lease) {
  pqxx::nontransaction work(listener_->get());
  work.exec_params(kEvictExpired, name_);
  const pqxx::result row = work.exec_params(kTakeOver, name_, absl::ToDoubleSeconds(lease));
  if (!row.empty()) epoch_ = row[0][0].as<int64_t>();
  return epoch_;
}

absl::StatusOr<ReplicaSession::Reading> ReplicaSession::Read() {
  return Try([&]() -> absl::StatusOr<Reading> {
    const pqxx::row row = pqxx::nontransaction(listener_->get()).exec1(kRead);
    if (row[2].as<int>() != listener_->connection().backend_pid()) {
      return absl::UnavailableError("the session is not its own: a pooler shares it out");
    }
    return Reading{.time = absl::FromUnixMicros(row[0].as<int64_t>()),
                   .identity = listener_->connection().identity(),
                   .schema = row[1].as<int64_t>()};
  });
}

absl::StatusOr<bool> ReplicaSession::AwaitNotification(absl::Duration timeout,
                                                       Notifications* heard) {
  using Clock = std::chrono::steady_clock;
  try {
    const Clock::time_point until = Clock::now() + absl::ToChronoNanoseconds(timeout);
    while (!listener_->receiver().Take(heard)) {
      const absl::Duration left = absl::FromChrono(until - Clock::now());
      if (left <= absl::ZeroDuration()) return false;
      // At most: it returns for notifications too that nothing is said of.
      const int64_t micros = absl::ToInt64Microseconds(left);
      listener_->get().await_notification(micros / 1'000'000, micros % 1'000'000);
    }
    return true;
  } catch (...) {
    return CurrentDatabaseError("listen").status;
  }
}

absl::Status NotifyReplicas(Transaction& transaction) { return Notify(transaction, {}); }

absl::Status LockLeadership(Transaction& transaction, int64_t epoch) {
  auto rows = transaction.Execute(kLockReplicaSession, {epoch});
  if (!rows.ok()) return rows.status();
  if (*rows > 0) return absl::OkStatus();
  return absl::FailedPreconditionError("another replica leads");
}

}  // namespace priorityd::storage
