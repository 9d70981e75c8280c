// The real server, started for a test.
#ifndef PRIORITYD_TESTS_END_TO_END_RUNNING_PRIORITYD_H_
#define PRIORITYD_TESTS_END_TO_END_RUNNING_PRIORITYD_H_

#include <sys/types.h>

#include <string>

namespace priorityd {

// bazel-bin/server/priorityd on a free port of the loopback interface, with an
// embedded PostgreSQL in a temporary data_dir. Not thread-safe.
// REQUIRES: the test has //server:priorityd in its data.
class RunningPriorityd {
 public:
  // Returns when it answers calls; aborts the test, with the server's log, if it
  // does not within two minutes.
  RunningPriorityd();

  // Stops the server as SIGTERM does and removes its data.
  ~RunningPriorityd();
  RunningPriorityd(const RunningPriorityd&) = delete;
  RunningPriorityd& operator=(const RunningPriorityd&) = delete;

  // host:port
  const std::string& address() const { return address_; }

  // Starts the program again on the same data and port.
  // REQUIRES: it does not run.
  void Start();

  // Sends a signal and waits for the end; returns the exit code, or the signal
  // that ended it as a negative number.
  int Stop(int signal);

 private:
  std::string folder_;
  std::string address_;
  pid_t pid_ = 0;  // 0 = not running
};

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_END_TO_END_RUNNING_PRIORITYD_H_
