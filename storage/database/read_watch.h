// Ends reads from a PostgreSQL server that does not respond.
#ifndef STORAGE_DATABASE_READ_WATCH_H_
#define STORAGE_DATABASE_READ_WATCH_H_

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

// If a server process is frozen but its host is not, its connections stay open and TCP does not
// detect the failure. So when a read has taken `patience`, the server is probed on a new connection
// (Answers in probe.h); if the probe gets no response for `patience` either, the sockets of all
// such reads are shut down, and libpq treats them as broken. A server that responds is probed again
// after another `patience`, because a read may take long. Thread-safe.
class ReadWatch {
 public:
  // Whether the server of a connection string responds. Called by one thread only.
  using Probe = std::function<bool(const std::string& server, absl::Duration patience,
                                   absl::FunctionRef<bool()> goes_on)>;

  // A read, from construction until End or destruction.
  class Read {
   public:
    // `server`, to which the socket is connected, must live as long.
    Read(ReadWatch* watch, int socket, const std::string& server);
    ~Read();
    Read(const Read&) = delete;
    Read& operator=(const Read&) = delete;

    // Ends the read; returns whether the socket was shut down.
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
  // Probes the server of a read that is due by `now`, if there is one.
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

#endif  // STORAGE_DATABASE_READ_WATCH_H_
