#include "storage/embedded_postgres/postgres_supervisor.h"

#include <postgresql/libpq-fe.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace priorityd::storage {
namespace {

constexpr absl::Duration kPollInterval = absl::Milliseconds(20);
constexpr absl::Duration kFirstBackoff = absl::Milliseconds(100);
constexpr absl::Duration kLastBackoff = absl::Seconds(5);
constexpr absl::Duration kFastShutdownTimeout = absl::Seconds(60);

}  // namespace

PostgresSupervisor::PostgresSupervisor(Command server, std::string url,
                                       absl::Duration start_timeout)
    : server_(std::move(server)), url_(std::move(url)), start_timeout_(start_timeout) {
  SetState(absl::UnavailableError("PostgreSQL is not started"));
}

PostgresSupervisor::~PostgresSupervisor() {
  if (!thread_.joinable()) return;
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
    changed_.SignalAll();
    if (pid_ != 0) kill(pid_, SIGINT);
    const absl::Time deadline = absl::Now() + kFastShutdownTimeout;
    bool late = false;
    while (!ended_ && !late) late = changed_.WaitWithDeadline(&mutex_, deadline);
    if (!ended_ && pid_ != 0) {
      spdlog::warn("storage: PostgreSQL does not stop; ending it at once");
      kill(pid_, SIGQUIT);
    }
  }
  thread_.join();
}

absl::Status PostgresSupervisor::Start() {
  thread_ = std::thread([this] { Loop(); });
  absl::MutexLock lock(&mutex_);
  while (!first_start_over_) changed_.Wait(&mutex_);
  return state_.ok() ? absl::OkStatus() : absl::FailedPreconditionError(state_.message());
}

absl::Status PostgresSupervisor::Check() const {
  absl::MutexLock lock(&mutex_);
  return state_;
}

pid_t PostgresSupervisor::pid() const {
  absl::MutexLock lock(&mutex_);
  return pid_;
}

void PostgresSupervisor::Loop() {
  absl::Status started = StartOnce();
  SetState(started);
  {
    absl::MutexLock lock(&mutex_);
    first_start_over_ = true;
    changed_.SignalAll();
  }
  absl::Duration backoff = kFirstBackoff;
  for (bool again = started.ok(); again;) {
    if (started.ok()) {
      backoff = kFirstBackoff;
      AwaitEnd(/*wait=*/true);
      SetState(absl::UnavailableError(absl::StrCat("PostgreSQL ", last_end_, "; restarting it")));
    }
    if (Pause(backoff)) break;
    spdlog::warn("storage: PostgreSQL {}; starting it again", last_end_);
    backoff = std::min(backoff * 2, kLastBackoff);
    ++restarts_;
    started = StartOnce();
    SetState(started);
  }
  absl::MutexLock lock(&mutex_);
  ended_ = true;
  changed_.SignalAll();
}

absl::Status PostgresSupervisor::StartOnce() {
  {
    absl::MutexLock lock(&mutex_);
    if (stopping_) return absl::UnavailableError("PostgreSQL is being stopped");
    absl::StatusOr<pid_t> pid = Spawn(server_);
    if (!pid.ok()) {
      last_end_ = "could not be started";
      return pid.status();
    }
    pid_ = *pid;
  }
  const absl::Time deadline = absl::Now() + start_timeout_;
  while (!AcceptsConnections()) {
    const bool stopping = Pause(kPollInterval);
    if (AwaitEnd(/*wait=*/stopping)) {
      return absl::UnavailableError(
          absl::StrCat("PostgreSQL ", last_end_, " as it started; see ", server_.output_path));
    }
    if (absl::Now() < deadline) continue;
    kill(pid(), SIGQUIT);
    AwaitEnd(/*wait=*/true);
    return absl::UnavailableError(absl::StrCat("PostgreSQL did not start within ",
                                               absl::FormatDuration(start_timeout_), "; see ",
                                               server_.output_path));
  }
  return absl::OkStatus();
}

bool PostgresSupervisor::AcceptsConnections() const { return PQping(url_.c_str()) == PQPING_OK; }

bool PostgresSupervisor::AwaitEnd(bool wait) {
  // The zombie keeps its pid until it is reaped under the mutex, so that no
  // signal goes to another process of that number.
  siginfo_t end{};
  const pid_t server = pid();
  while (waitid(P_PID, server, &end, WEXITED | WNOWAIT | (wait ? 0 : WNOHANG)) != 0) {
    if (errno != EINTR) break;
  }
  if (end.si_pid == 0 && !wait) return false;
  absl::MutexLock lock(&mutex_);
  int status = 0;
  waitpid(server, &status, 0);
  pid_ = 0;
  last_end_ = DescribeExit(status);
  return true;
}

bool PostgresSupervisor::Pause(absl::Duration duration) {
  absl::MutexLock lock(&mutex_);
  const absl::Time deadline = absl::Now() + duration;
  while (!stopping_) {
    if (changed_.WaitWithDeadline(&mutex_, deadline)) break;
  }
  return stopping_;
}

void PostgresSupervisor::SetState(absl::Status state) {
  absl::MutexLock lock(&mutex_);
  state_ = std::move(state);
}

}  // namespace priorityd::storage
