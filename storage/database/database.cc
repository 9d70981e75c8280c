#include "storage/database/database.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "absl/random/random.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "storage/database/connection_string.h"
#include "storage/database/probe.h"
#include "storage/database/read_context.h"

namespace priorityd::storage {
namespace {

// Of a read that waits for a connection, for whether its caller has gone.
constexpr absl::Duration kBetweenPlaceLooks = absl::Milliseconds(250);

absl::Status CheckNeeded(AccessMode mode) {
  return mode == AccessMode::kRead ? ReadContext::CheckCurrent() : absl::OkStatus();
}

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

// Gives its session back to the pool when it goes out of scope.
class Database::Lease {
 public:
  Lease(Database* database, std::unique_ptr<Session> session)
      : database_(database), session_(std::move(session)) {}
  ~Lease() { database_->Release(std::move(session_), next_); }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  Session& session() { return *session_; }
  void MarkCanceled() { next_ = std::max(next_, Next::kClosed); }
  void MarkBroken() { next_ = Next::kAllClosed; }

 private:
  Database* const database_;
  std::unique_ptr<Session> session_;
  Next next_ = Next::kIdle;
};

Database::Database(DatabaseOptions options)
    : options_(Named(std::move(options))), read_watch_(options_.read_patience, Answers) {}
Database::~Database() = default;

absl::Status Database::AwaitPlace(AccessMode mode) {
  const auto begin = std::chrono::steady_clock::now();
  while (in_use_ >= std::max(options_.pool_size, 1)) {
    const absl::Duration left =
        options_.acquire_timeout - absl::FromChrono(std::chrono::steady_clock::now() - begin);
    if (left <= absl::ZeroDuration()) {
      ++counts_.refused;
      return absl::ResourceExhaustedError("all database connections are in use; retry");
    }
    if (absl::Status ended = CheckNeeded(mode); !ended.ok()) return ended;
    ++waiting_;
    place_free_.WaitWithTimeout(&mutex_, std::min(left, kBetweenPlaceLooks));
    --waiting_;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Session>> Database::Acquire(bool fresh, AccessMode mode,
                                                           const TransactionKind& kind) {
  {
    absl::MutexLock lock(&mutex_);
    if (absl::Status awaited = AwaitPlace(mode); !awaited.ok()) return awaited;
    ++in_use_;
    if (!fresh && !idle_.empty()) return TakeIdle(kind);
  }
  absl::StatusOr<std::unique_ptr<Session>> session = Open();
  if (!session.ok()) Release(nullptr, Next::kAllClosed);
  return session;
}

std::unique_ptr<Session> Database::TakeIdle(const TransactionKind& kind) {
  auto taken = std::find_if(idle_.rbegin(), idle_.rend(),
                            [&](const std::unique_ptr<Session>& s) { return s->kind() == kind; });
  if (taken == idle_.rend()) taken = idle_.rbegin();
  std::unique_ptr<Session> session = std::move(*taken);
  idle_.erase(std::next(taken).base());
  return session;
}

absl::StatusOr<std::unique_ptr<Session>> Database::Open() {
  absl::StatusOr<std::string> connection_string =
      CompleteConnectionString(options_.url, options_.application_name);
  if (!connection_string.ok()) return connection_string.status();
  auto session = Session::Open(*connection_string);
  {
    absl::MutexLock lock(&mutex_);
    ++(session.ok() ? counts_.opened : counts_.not_opened);
  }
  if (session.ok()) (*session)->set_incarnation(NoteIdentity((*session)->identity()));
  return session;
}

DatabaseActivity Database::Activity() const {
  absl::MutexLock lock(&mutex_);
  DatabaseActivity activity = counts_;
  activity.most = std::max(options_.pool_size, 1);
  activity.in_use = in_use_;
  activity.idle = static_cast<int>(idle_.size());
  activity.waiting = waiting_;
  return activity;
}

void Database::Count(const TransactionEnd& end) {
  if (!end.failure.has_value()) return;
  absl::MutexLock lock(&mutex_);
  switch (*end.failure) {
    case Failure::kStatement:
      ++counts_.statement_failures;
      break;
    case Failure::kRetryable:
      ++counts_.conflicts;
      break;
    case Failure::kConnection:
      ++counts_.lost;
      break;
    case Failure::kCanceled:
      break;
  }
}

int64_t Database::NoteIdentity(const std::string& identity) {
  std::vector<std::unique_ptr<Session>> dropped;  // closed after the mutex is free
  absl::MutexLock lock(&mutex_);
  if (identity_ != identity) {
    identity_ = identity;
    ++incarnation_;
    dropped.swap(idle_);
  }
  return incarnation_;
}

void Database::StartOver() {
  std::vector<std::unique_ptr<Session>> dropped;  // closed after the mutex is free
  absl::MutexLock lock(&mutex_);
  ++incarnation_;
  dropped.swap(idle_);
}

void Database::Release(std::unique_ptr<Session> session, Next next) {
  std::vector<std::unique_ptr<Session>> dropped;  // closed after the mutex is free
  absl::MutexLock lock(&mutex_);
  --in_use_;
  place_free_.Signal();
  if (next == Next::kAllClosed) {
    dropped = std::move(idle_);
    idle_.clear();
    if (session != nullptr) dropped.push_back(std::move(session));
  } else if (next == Next::kIdle && session->incarnation() == incarnation_ &&
             in_use_ + static_cast<int>(idle_.size()) < std::max(options_.pool_size, 1)) {
    idle_.push_back(std::move(session));
  } else {
    dropped.push_back(std::move(session));
  }
}

TransactionEnd Database::RunOn(Lease& lease, AccessMode mode, const TransactionKind& kind,
                               StatusWork work) {
  Session& session = lease.session();
  // A pooler may answer for its server, and make a probe wait for a connection.
  if (mode != AccessMode::kRead || !session.IsDirect()) return session.Run(mode, work, kind);
  ReadWatch::Read watched(&read_watch_, session.socket(), session.server());
  CancelWatch::Read cancelable(&cancel_watch_, ReadContext::Current(), session.Canceler());
  TransactionEnd end = session.Run(mode, work, kind);
  if (cancelable.End()) lease.MarkCanceled();
  if (!watched.End()) return end;
  end.failure = Failure::kConnection;
  if (!end.status.ok()) {
    end.status = absl::UnavailableError("PostgreSQL does not answer; retry");
  }
  return end;
}

TransactionEnd Database::Run(AccessMode mode, const TransactionKind& kind, StatusWork work) {
  // A connection that died while idle shows at BEGIN, before anything ran, so
  // a second try, on a new one, is safe.
  for (bool fresh = false;; fresh = true) {
    if (absl::Status ended = CheckNeeded(mode); !ended.ok()) return {std::move(ended)};
    absl::StatusOr<std::unique_ptr<Session>> session = Acquire(fresh, mode, kind);
    if (!session.ok()) return {session.status()};
    Lease lease(this, *std::move(session));
    TransactionEnd end = RunOn(lease, mode, kind, work);
    Count(end);
    if (end.failure != Failure::kConnection) return end;
    lease.MarkBroken();
    if (fresh || end.begun) return end;
  }
}

absl::Status Database::WriteStatus(const TransactionKind& kind, StatusWork work) {
  for (int attempt = 1;; ++attempt) {
    TransactionEnd end = Run(AccessMode::kWrite, kind, work);
    if (end.status.ok() || end.failure != Failure::kRetryable || attempt >= options_.max_attempts) {
      return end.status;
    }
    absl::SleepFor(absl::Milliseconds(attempt * attempt));
  }
}

absl::Status Database::AloneStatus(const TransactionKind& kind, StatusWork work) {
  return Run(AccessMode::kAlone, kind, work).status;
}

absl::Status Database::ReadStatus(StatusWork work) {
  return Run(AccessMode::kRead, kUsual, work).status;
}

}  // namespace priorityd::storage
