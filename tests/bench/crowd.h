// Many connections that want little: idle watches, slow readers, and clients that say nothing.
#ifndef PRIORITYD_TESTS_BENCH_CROWD_H_
#define PRIORITYD_TESTS_BENCH_CROWD_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/raw_http2.h"

namespace priorityd::bench {

struct CrowdOptions {
  int port;
  int connections;
  // The first ones watch `slow_watch`, take 1 KiB of it and no more; of all others every second
  // one watches `idle_watch`. Serialized WatchRankingRequests.
  int slow;
  std::string slow_watch, idle_watch;
};

// Answers pings and settings on a thread of its own.
class Crowd {
 public:
  // Opens all, and waits until each watch has an answer.
  explicit Crowd(const CrowdOptions& options);
  ~Crowd();
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  // Connections that the server has ended.
  int lost() const { return lost_; }

 private:
  void Open();
  void Serve();
  void ServeOne(int number);
  bool IsSlow(int number) const { return number < options_.slow; }
  bool Watches(int number) const { return IsSlow(number) || number % 2 == 0; }

  const CrowdOptions options_;
  const int poll_;
  std::vector<std::unique_ptr<RawHttp2>> connections_;
  std::vector<bool> answered_;  // By the thread.
  std::atomic<int> answers_{0};
  std::atomic<int> lost_{0};
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

}  // namespace priorityd::bench

#endif  // PRIORITYD_TESTS_BENCH_CROWD_H_
