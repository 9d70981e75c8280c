#include "tests/storage/postgres_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "storage/database/session.h"
#include "storage/embedded_postgres/child_process.h"
#include "storage/embedded_postgres/postgres_installation.h"
#include "tests/free_port.h"
#include "tests/storage/test_database.h"

namespace priorityd::storage {
namespace {

void OrDie(const absl::Status& status, const std::string& what) {
  if (status.ok()) return;
  std::fprintf(stderr, "PostgreSQL of a test: %s: %s\n", what.c_str(), status.ToString().c_str());
  std::abort();
}

std::string ProgramPath(const std::string& program) {
  const auto folder = FindPostgresPrograms("");
  OrDie(folder.status(), "programs");
  return absl::StrCat(*folder, "/", program);
}

sockaddr_in Loopback(int port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// The fields of /proc/PID/stat after the name, which may have blanks: the state first.
std::vector<std::string> StatOf(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string line;
  std::getline(file, line);
  const size_t end = line.rfind(')');
  if (end == std::string::npos) return {};
  return absl::StrSplit(line.substr(end + 2), ' ');
}

}  // namespace

void AwaitListening(int port) {
  const sockaddr_in address = Loopback(port);
  const absl::Time deadline = absl::Now() + absl::Minutes(1);
  for (bool listens = false; !listens; absl::SleepFor(absl::Milliseconds(10))) {
    if (absl::Now() > deadline) OrDie(absl::DeadlineExceededError("nobody listens"), "port");
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    listens = connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
    close(fd);
  }
}

std::vector<pid_t> ProcessesOf(pid_t parent) {
  std::vector<pid_t> pids = {parent};
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::vector<std::string> stat = StatOf(name);
    if (stat.size() > 1 && stat[1] == absl::StrCat(parent)) pids.push_back(std::stoi(name));
  }
  return pids;
}

BackgroundProgram::BackgroundProgram(const std::vector<std::string>& arguments,
                                     const std::string& output_path) {
  const auto pid = Spawn({arguments, output_path});
  OrDie(pid.status(), arguments.front());
  pid_ = *pid;
}

BackgroundProgram::~BackgroundProgram() {
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

PostgresServer::PostgresServer() : PostgresServer(NewTestDirectory()) {}

PostgresServer::PostgresServer(const std::string& parent, std::vector<std::string> environment)
    : folder_(parent), port_(FreePort()), environment_(std::move(environment)) {
  Run("initdb", {"-D", folder_ + "/data", "-U", "priorityd", "-A", "trust", "-N", "-E", "UTF8",
                 "--locale=C.UTF-8"});
  Start();
}

PostgresServer::PostgresServer(const PostgresServer* primary)
    : folder_(NewTestDirectory()), port_(FreePort()) {
  Run("pg_basebackup", {"-D", folder_ + "/data", "-R", "-c", "fast", "-X", "stream", "-d",
                        primary->Url("postgres")});
  Start();
}

PostgresServer::~PostgresServer() { Kill(); }

std::string PostgresServer::Url(const std::string& database, const std::string& parameters) const {
  return absl::StrCat("postgresql://priorityd@127.0.0.1:", port_, "/", database, "?sslmode=disable",
                      parameters);
}

void PostgresServer::Start() {
  const std::vector<std::string> program = {ProgramPath("postgres"),
                                            "-D",
                                            folder_ + "/data",
                                            "-p",
                                            absl::StrCat(port_),
                                            "-c",
                                            "listen_addresses=127.0.0.1",
                                            "-c",
                                            "unix_socket_directories=",
                                            "-c",
                                            "fsync=off",
                                            "-c",
                                            "max_connections=120"};
  std::vector<std::string> arguments = {"/usr/bin/env"};
  arguments.insert(arguments.end(), environment_.begin(), environment_.end());
  arguments.insert(arguments.end(), program.begin(), program.end());
  const auto pid = Spawn({arguments, folder_ + "/log"});
  OrDie(pid.status(), "start");
  pid_ = *pid;
  const absl::Time deadline = absl::Now() + absl::Minutes(1);
  // Also to a standby, which would refuse a session of ours.
  while (!RunToEnd({{ProgramPath("pg_isready"), "-h", "127.0.0.1", "-p", absl::StrCat(port_)},
                    folder_ + "/ready"})
              .ok()) {
    if (absl::Now() > deadline) OrDie(absl::DeadlineExceededError(folder_), "start");
    absl::SleepFor(absl::Milliseconds(20));
  }
}

void PostgresServer::Kill() {
  if (pid_ == 0) return;
  for (const pid_t pid : ProcessesOf(pid_)) kill(pid, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

bool PostgresServer::HasEnded() {
  if (pid_ != 0 && waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = 0;
  return pid_ == 0;
}

void PostgresServer::Promote() { Run("pg_ctl", {"promote", "-D", folder_ + "/data", "-w"}); }

void PostgresServer::Run(const std::string& program,
                         const std::vector<std::string>& arguments) const {
  OrDie(TryToRun(program, arguments), absl::StrCat(program, ", see ", folder_));
}

absl::Status PostgresServer::TryToRun(const std::string& program,
                                      std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), ProgramPath(program));
  return RunToEnd({arguments, folder_ + "/log"});
}

void PostgresServer::SignalAll(bool stop) {
  // The postmaster first: it starts no process that would be missed.
  kill(pid_, stop ? SIGSTOP : SIGCONT);
  for (const pid_t pid : ProcessesOf(pid_)) kill(pid, stop ? SIGSTOP : SIGCONT);
}

}  // namespace priorityd::storage
