// The connections of a listener: how many there are, what they may take, and what they are served.
#ifndef PRIORITYD_SERVER_HTTP_CONNECTIONS_H_
#define PRIORITYD_SERVER_HTTP_CONNECTIONS_H_

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "server/http/budget.h"
#include "server/http/exchange.h"
#include "server/http/server.h"

namespace priorityd::http {

inline constexpr absl::Duration kFarewellTime = absl::Seconds(2);
inline constexpr size_t kMaxBufferBytes = 128 << 10;

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
  // What is said to a request whose body is large and is not read; nothing = it is read.
  std::optional<Response> RefuseLarge(const Request& head) const {
    return routes_.check_large == nullptr ? std::nullopt : routes_.check_large(head);
  }
  // Answers what no handler serves.
  Response PageFor(const Request& request) const;

  // False where as many are open as may be.
  bool Enter(const std::shared_ptr<Connection>& connection) ABSL_LOCKS_EXCLUDED(mutex_);
  void Leave(Connection* connection) ABSL_LOCKS_EXCLUDED(mutex_);

  Budget& streams() { return streams_; }
  Budget& body_bytes() { return body_bytes_; }
  Budget& answer_bytes() { return answer_bytes_; }

  // Stops all, and lets no more enter.
  void StopAll() ABSL_LOCKS_EXCLUDED(mutex_);
  void AwaitNone() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  bool IsEmpty() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return connections_.empty(); }

  const ServerOptions options_;
  const Routes routes_;
  Budget streams_{options_.max_streams};
  Budget body_bytes_{options_.all_body_bytes, options_.memory};
  Budget answer_bytes_{options_.all_answer_bytes, options_.memory};
  absl::Mutex mutex_;
  bool stops_ ABSL_GUARDED_BY(mutex_) = false;
  std::map<Connection*, std::weak_ptr<Connection>> connections_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::http

#endif  // PRIORITYD_SERVER_HTTP_CONNECTIONS_H_
