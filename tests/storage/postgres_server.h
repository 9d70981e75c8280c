// A PostgreSQL server over TCP that a test stops, freezes, promotes and cuts off.
#ifndef TESTS_STORAGE_POSTGRES_SERVER_H_
#define TESTS_STORAGE_POSTGRES_SERVER_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace priorityd::storage {

// Listens on 127.0.0.1 and on nothing else. Every function ends the program where it cannot
// do its work.
class PostgresServer {
 public:
  // A new one, started; in a folder of its own, or in `parent`. `environment`: more variables of
  // its processes, as NAME=VALUE.
  PostgresServer();
  explicit PostgresServer(const std::string& parent, std::vector<std::string> environment = {});
  // An asynchronous standby of another one, started.
  explicit PostgresServer(const PostgresServer* primary);
  // Kills it.
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  // `parameters`: more of the connection, begun by `&`.
  std::string Url(const std::string& database, const std::string& parameters = "") const;
  int port() const { return port_; }
  // The postmaster.
  pid_t pid() const { return pid_; }
  // Whether it came to its end by itself; then Start starts it.
  bool HasEnded();

  // Starts it again.
  void Start();
  // Ends it as a power cut would.
  void Kill();
  // A standby becomes a primary.
  void Promote();
  // None of its processes does anything; the host answers the network.
  void Freeze() { SignalAll(true); }
  void Thaw() { SignalAll(false); }

  // Runs one of PostgreSQL's programs, without a path. Run ends this program if that one fails.
  void Run(const std::string& program, const std::vector<std::string>& arguments) const;
  absl::Status TryToRun(const std::string& program, std::vector<std::string> arguments) const;

 private:
  void SignalAll(bool stop);

  const std::string folder_;
  const int port_;
  const std::vector<std::string> environment_;
  pid_t pid_ = 0;
};

// The process and those that it started.
std::vector<pid_t> ProcessesOf(pid_t parent);

// Starts a program in the background; it is killed at the latest with this object.
class BackgroundProgram {
 public:
  BackgroundProgram(const std::vector<std::string>& arguments, const std::string& output_path);
  ~BackgroundProgram();
  BackgroundProgram(const BackgroundProgram&) = delete;
  BackgroundProgram& operator=(const BackgroundProgram&) = delete;

 private:
  pid_t pid_;
};

// Waits until somebody does; ends the program if nobody does within a minute.
void AwaitListening(int port);

}  // namespace priorityd::storage

#endif  // TESTS_STORAGE_POSTGRES_SERVER_H_
