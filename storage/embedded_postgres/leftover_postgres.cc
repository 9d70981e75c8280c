#include "storage/embedded_postgres/leftover_postgres.h"

#include <signal.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace priorityd::storage {
namespace {

namespace fs = std::filesystem;

constexpr absl::Duration kLeftoverPoll = absl::Milliseconds(20);

std::string FirstLine(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string NameOf(const fs::path& process) { return FirstLine(process / "comm"); }

// The number that postmaster.pid holds, or 0.
pid_t NotedPid(const std::string& directory) {
  pid_t pid = 0;
  return absl::SimpleAtoi(FirstLine(fs::path(directory) / "postmaster.pid"), &pid) ? pid : 0;
}

// The noted process if it is one of `processes`, else 0.
pid_t Postmaster(const std::string& directory, const std::vector<pid_t>& processes) {
  const pid_t pid = NotedPid(directory);
  return std::find(processes.begin(), processes.end(), pid) == processes.end() ? 0 : pid;
}

bool AwaitNone(const std::string& directory, absl::Duration timeout) {
  const absl::Time deadline = absl::Now() + timeout;
  while (!PostgresProcessesIn(directory).empty()) {
    if (absl::Now() >= deadline) return false;
    absl::SleepFor(kLeftoverPoll);
  }
  return true;
}

void SignalAll(const std::vector<pid_t>& processes, int signal) {
  for (pid_t process : processes) kill(process, signal);
}

}  // namespace

std::vector<pid_t> PostgresProcessesIn(const std::string& directory) {
  std::vector<pid_t> processes;
  std::error_code error;
  for (fs::directory_iterator entry("/proc", error); entry != fs::directory_iterator();
       entry.increment(error)) {
    pid_t pid = 0;
    if (!absl::SimpleAtoi(entry->path().filename().string(), &pid)) continue;
    if (NameOf(entry->path()) != "postgres") continue;
    std::error_code unreadable;
    if (fs::read_symlink(entry->path() / "cwd", unreadable) == directory) processes.push_back(pid);
  }
  return processes;
}

absl::Status StopLeftoverPostgres(const std::string& directory) {
  std::vector<pid_t> processes = PostgresProcessesIn(directory);
  if (!processes.empty()) {
    spdlog::warn("storage: stopping PostgreSQL left over in {}", directory);
    pid_t postmaster = Postmaster(directory, processes);
    postmaster != 0 ? SignalAll({postmaster}, SIGINT) : SignalAll(processes, SIGQUIT);
    if (!AwaitNone(directory, absl::Seconds(30))) {
      SignalAll(PostgresProcessesIn(directory), SIGKILL);
      if (!AwaitNone(directory, absl::Seconds(10))) {
        return absl::FailedPreconditionError(
            absl::StrCat("data_dir: PostgreSQL still runs in ", directory, " as process ",
                         absl::StrJoin(PostgresProcessesIn(directory), ", ")));
      }
    }
  }
  // PostgreSQL deals with a dead process's file itself, and with it watches for
  // survivors of that server, so the file goes only where it would be misled.
  const std::string name = NameOf(fs::path("/proc") / absl::StrCat(NotedPid(directory)));
  std::error_code ignored;
  if (!name.empty() && name != "postgres") {
    fs::remove(fs::path(directory) / "postmaster.pid", ignored);
  }
  return absl::OkStatus();
}

}  // namespace priorityd::storage
