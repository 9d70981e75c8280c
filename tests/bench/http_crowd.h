// Those who look over HTTP: event streams, and dashboards that ask again and again.
#ifndef PRIORITYD_TESTS_BENCH_HTTP_CROWD_H_
#define PRIORITYD_TESTS_BENCH_HTTP_CROWD_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/time.h"

namespace priorityd::bench {

struct HttpCrowdOptions {
  int port;
  int streams;        // Each an event stream of `watch`.
  int dashboards;     // Each asks for each of `polls` every `interval`, with the ETag that it has.
  std::string watch;  // Such as `/v1/PriorityService/WatchRanking?limit=100`.
  std::vector<std::string> polls;  // The same.
  absl::Duration interval;
};

// On a thread of its own.
class HttpCrowd {
 public:
  // Opens all, and waits until each stream has an event and each dashboard an answer.
  explicit HttpCrowd(const HttpCrowdOptions& options);
  ~HttpCrowd();
  HttpCrowd(const HttpCrowd&) = delete;
  HttpCrowd& operator=(const HttpCrowd&) = delete;

  int64_t event_bytes() const { return event_bytes_; }
  int64_t answers() const { return answers_; }
  int64_t unchanged() const { return unchanged_; }  // Of the answers: 304.
  int lost() const { return lost_; }                // Connections that the server has ended.

 private:
  struct Reader {
    int fd = -1;
    bool is_stream = false;
    bool has_answer = false;
    bool waits = false;  // For the answer.
    size_t next_poll = 0;
    absl::Time due;
    std::vector<std::string> tags;  // By poll.
    std::string received;
  };

  void Serve();
  void Receive(Reader& reader);
  void TakeAnswers(Reader& reader);
  void AskAgain(Reader& reader, absl::Time now);

  const HttpCrowdOptions options_;
  const int poll_;
  std::vector<Reader> readers_;
  std::atomic<int> ready_{0};
  std::atomic<int> lost_{0};
  std::atomic<int64_t> event_bytes_{0}, answers_{0}, unchanged_{0};
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

}  // namespace priorityd::bench

#endif  // PRIORITYD_TESTS_BENCH_HTTP_CROWD_H_
