// An honest user beside clients that mean harm.
#ifndef PRIORITYD_TESTS_END_TO_END_HONEST_USER_H_
#define PRIORITYD_TESTS_END_TO_END_HONEST_USER_H_

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "absl/time/time.h"
#include "client/priority_client.h"

namespace priorityd {

// Calls all the time, now on an old connection and now on a new one, and looks how much memory the
// attacked have meanwhile.
class HonestUser {
 public:
  struct Options {
    client::ConnectOptions connect;
    std::function<double()> resident_mib;
  };
  // A call of theirs that takes longer is a failure.
  static constexpr absl::Duration kPatience = absl::Minutes(1);

  explicit HonestUser(Options options)
      : options_(std::move(options)), thread_([this] { Work(); }) {}
  ~HonestUser() { Stop(); }

  // Ends, and reports what it saw.
  void ExpectServed();
  // Waits until they were served so often since.
  void AwaitCalls(int count);
  // The most memory at any time, in MiB.
  double most() const { return most_mib_; }

 private:
  void Work();
  client::ConnectOptions ConnectOptions() const;
  void Call(const client::PriorityClient& client);
  void Stop();

  const Options options_;
  std::atomic<bool> stops_{false};
  std::atomic<int> calls_{0};
  int failures_ = 0;
  std::string failure_;
  absl::Duration longest_;
  std::atomic<double> most_mib_{0};
  std::thread thread_;
};

// What a process has in memory now.
double ResidentMibOf(pid_t pid);

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_END_TO_END_HONEST_USER_H_
