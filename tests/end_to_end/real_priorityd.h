// The real priorityd as a process of its own.
#ifndef PRIORITYD_TESTS_END_TO_END_REAL_PRIORITYD_H_
#define PRIORITYD_TESTS_END_TO_END_REAL_PRIORITYD_H_

#include <grpcpp/grpcpp.h>
#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

namespace priorityd {

// REQUIRES: the test has //server:priorityd in its data.
class RealPriorityd {
 public:
  // `binary`: that of another version; empty = today's.
  explicit RealPriorityd(const std::vector<std::string>& flags, const std::string& binary = "");
  // Stops it if it still runs.
  ~RealPriorityd();
  RealPriorityd(const RealPriorityd&) = delete;
  RealPriorityd& operator=(const RealPriorityd&) = delete;

  // Waits until it listens; fails the test and returns false if it ends before.
  bool AwaitListening();
  // host:port. REQUIRES: AwaitListening().
  const std::string& address() const { return address_; }
  // A new channel to it.
  std::shared_ptr<grpc::Channel> Connect() const;

  // 0 once its end is known.
  pid_t pid() const { return pid_; }
  void Signal(int signal) const;
  // Waits for its end: the exit code, or 128 plus the signal that ended it.
  int Wait();

  // The part of a line of its log from after `begin` to its end, once that line is whole; fails the
  // test and returns "" if it ends, or stays silent for two minutes, before.
  std::string AwaitLogged(const std::string& begin);

  // What it printed so far.
  std::string Out() const;
  std::string Err() const;

 private:
  // Whether it has ended; then exit_code_ is set.
  bool HasEnded();

  std::string folder_;  // Of its output.
  pid_t pid_ = 0;
  int exit_code_ = -1;
  std::string address_;
};

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_END_TO_END_REAL_PRIORITYD_H_
