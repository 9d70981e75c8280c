// Cancels reads whose result is no longer needed.
#ifndef STORAGE_DATABASE_CANCEL_WATCH_H_
#define STORAGE_DATABASE_CANCEL_WATCH_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "storage/database/read_context.h"

namespace priorityd::storage {

// Looks ten times a second at the reads in progress. When the context of one of them has ended, the
// server is asked to cancel its statement, and asked again each second until the read ends: a
// request that arrives between two statements has no effect.
//
// A frozen server, or one whose host vanished, does not take a request. So each request has a
// thread of its own, which delays no other one, and a read has one request at a time: as a
// connection with a request is never used again, no more threads wait than connections were open.
//
// A request may arrive after the statement for which it was sent, and would then cancel the next
// one. So a connection with a request is never used again (Read::End), and PostgreSQL takes a
// request for no other connection: it names the process and the secret key of this one.
// Thread-safe.
class CancelWatch {
  struct Request;

 public:
  // Sends the request and waits until the server has taken it. Called by one thread at a time,
  // perhaps after the end of the read or of the watch.
  using Cancel = std::function<void()>;

  // A read, from construction until End or destruction.
  class Read {
   public:
    // `context` must live as long; null = nothing cancels the read.
    Read(CancelWatch* watch, const ReadContext* context, Cancel cancel);
    ~Read();
    Read(const Read&) = delete;
    Read& operator=(const Read&) = delete;

    // Ends the read; returns whether a request was sent, or is about to be.
    bool End();

   private:
    friend class CancelWatch;

    CancelWatch* const watch_;
    const ReadContext* const context_;
    const std::shared_ptr<Request> request_;  // Null = no context.
    // Both are guarded by mutex_ of the watch.
    std::chrono::steady_clock::time_point again_at_;
    bool was_canceled_ = false;
  };

  CancelWatch() = default;
  // All reads must have ended. Does not wait for requests in progress.
  ~CancelWatch();
  CancelWatch(const CancelWatch&) = delete;
  CancelWatch& operator=(const CancelWatch&) = delete;

 private:
  void Run();
  void CancelDue();
  static void Send(const std::shared_ptr<Request>& request);

  // The standard library's, which time their waits by the steady clock.
  std::mutex mutex_;
  std::condition_variable changed_;
  // All are guarded by mutex_.
  std::set<Read*> reads_;
  bool sleeps_ = false;  // Until there is a read.
  bool stops_ = false;
  std::thread thread_;  // From the first read on.
};

}  // namespace priorityd::storage

#endif  // STORAGE_DATABASE_CANCEL_WATCH_H_
