// Ends reads of a PostgreSQL that does not answer.
#ifndef STORAGE_READ_WATCH_H_
#define STORAGE_READ_WATCH_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"

namespace priorityd::storage {

// A server that is frozen on a host that is not keeps its connections, and nothing of TCP's shows
// it. So where a read has taken `patience`, its server is asked anew (Answers in probe.h) whether
// it is there; where that has no answer for `patience` either, the connections of all such reads
// are shut, and libpq takes them for broken. A server that answers is asked again when `patience`
// is over once more: a read may take long. Thread-safe.
class ReadWatch {
 public:
  // Whether the server that a connection string names answers. Called by one thread.
  using Probe = std::function<bool(const std::string& server, absl::Duration patience,
                                   absl::FunctionRef<bool()> goes_on)>;

  // From its construction until End, or its own end.
  class Read {
   public:
    // `server`, to which the socket is connected, must live as long.
    Read(ReadWatch* watch, int socket, const std::string& server);
    ~Read();
    Read(const Read&) = delete;
    Read& operator=(const Read&) = delete;

    // Whether the socket was shut; it will not be any more.
    bool End();

   private:
    friend class ReadWatch;

    ReadWatch* const watch_;
    // A descriptor of its own: libpq closes that of a connection that broke, and the next file
    // that is opened has its number.
    const int socket_;
    const std::string& server_;
    std::chrono::steady_clock::time_point due_;  // Both are guarded by watch_->mutex_.
    bool was_shut_ = false;
  };

  ReadWatch(absl::Duration patience, Probe probe);
  // All reads must have ended.
  ~ReadWatch();
  ReadWatch(const ReadWatch&) = delete;
  ReadWatch& operator=(const ReadWatch&) = delete;

 private:
  using Time = std::chrono::steady_clock::time_point;

  Time AfterPatience() const;
  void Run();
  // Asks the server of a read that was due by `now`, if there is one.
  void AskServer(Time now, std::unique_lock<std::mutex>& lock);
  void Shut(Read& read);

  const absl::Duration patience_;
  const Probe probe_;
  // The standard library's, which time their waits by the steady clock.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<Read*> reads_;  // Both are guarded by mutex_.
  bool sleeps_ = false;    // Until there is a read.
  std::atomic<bool> stops_ = false;
  std::thread thread_;  // From the first read on.
};

}  // namespace priorityd::storage

#endif  // STORAGE_READ_WATCH_H_
