// The connections of a listener: how many there are, what they may take, and what they are served.
#ifndef PRIORITYD_SERVER_HTTP_CONNECTIONS_H_
#define PRIORITYD_SERVER_HTTP_CONNECTIONS_H_

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "server/http/exchange.h"
#include "server/http/server.h"

namespace priorityd::http {

class Connection {
 public:
  virtual ~Connection() = default;
  // Closes it; a request at work is answered first. From any thread.
  virtual void Stop() = 0;
};

// Thread-safe.
class Connections {
 public:
  Connections(const ServerOptions& options, Routes routes)
      : options_(options), routes_(std::move(routes)) {}

  const ServerOptions& options() const { return options_; }

  // What serves a path; null = a page, or nothing.
  const Handler* FindHandler(const std::string& path) const;
  // Answers what no handler serves.
  Response PageFor(const Request& request) const;

  // Each of these takes something that has a bound, or returns false; and gives it back.
  bool Enter(const std::shared_ptr<Connection>& connection) ABSL_LOCKS_EXCLUDED(mutex_);
  void Leave(Connection* connection) ABSL_LOCKS_EXCLUDED(mutex_);
  bool EnterStream() { return Take(1, options_.max_streams, &streams_); }
  void LeaveStream() { --streams_; }
  bool EnterBody(size_t bytes) { return Take(bytes, options_.all_body_bytes, &body_bytes_); }
  void LeaveBody(size_t bytes) { body_bytes_ -= bytes; }

  // Stops all, and lets no more enter.
  void StopAll() ABSL_LOCKS_EXCLUDED(mutex_);
  void AwaitNone() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  static bool Take(size_t some, size_t most, std::atomic<size_t>* taken);
  bool IsEmpty() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return connections_.empty(); }

  const ServerOptions options_;
  const Routes routes_;
  std::atomic<size_t> streams_ = 0;
  std::atomic<size_t> body_bytes_ = 0;
  absl::Mutex mutex_;
  bool stops_ ABSL_GUARDED_BY(mutex_) = false;
  std::map<Connection*, std::weak_ptr<Connection>> connections_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::http

#endif  // PRIORITYD_SERVER_HTTP_CONNECTIONS_H_
