// The connections of a listener: how many there are, what they may take, and what they are served.
#ifndef PRIORITYD_SERVER_HTTP_CONNECTIONS_H_
#define PRIORITYD_SERVER_HTTP_CONNECTIONS_H_

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "server/http/exchange.h"
#include "server/http/server.h"
#include "server/quotas/quota.h"

namespace priorityd::http {

inline constexpr absl::Duration kFarewellTime = absl::Seconds(2);
inline constexpr size_t kMaxBufferBytes = 128 << 10;

class Connection {
 public:
  virtual ~Connection() = default;
  // Closes it; a request at work is answered first. From any thread.
  virtual void Stop() = 0;
  // Closes it at once. From any thread.
  virtual void Drop() = 0;
};

// A connection whose request is at work holds a place of `requests`. All others, those that are
// served a page too, make room when there is none left: of the address that has most of them the
// one that has been so for the longest time is dropped. Thus who only opens connections harms
// nobody, and pages are served however many requests are at work. Thread-safe.
class Connections {
 public:
  Connections(const ServerOptions& options, Routes routes);

  const ServerOptions& options() const { return options_; }

  // What serves a path; null = a page, or nothing.
  const Handler* FindHandler(const std::string& path) const;
  // What is said to a request whose body is large and is not read; nothing = it is read.
  std::optional<Response> RefuseLarge(const Request& head) const {
    return routes_.check_large == nullptr ? std::nullopt : routes_.check_large(head);
  }
  // Answers what no handler serves.
  Response PageFor(const Request& request) const;

  // False where as many requests are at work as connections may be open.
  bool Enter(const std::shared_ptr<Connection>& connection, const quotas::Holder& peer)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void Leave(Connection* connection) ABSL_LOCKS_EXCLUDED(mutex_);

  // It makes no room from now on, or it does again, as the youngest. False where it was dropped.
  bool Keep(Connection* connection) ABSL_LOCKS_EXCLUDED(mutex_);
  bool LetGo(Connection* connection) ABSL_LOCKS_EXCLUDED(mutex_);

  quotas::Quota& requests() { return requests_; }
  quotas::Quota& streams() { return streams_; }
  quotas::Quota& body_bytes() { return body_bytes_; }
  quotas::Quota& answer_bytes() { return answer_bytes_; }
  quotas::Quota& page_bytes() { return page_bytes_; }
  // Of `http_connections`, those that made room count as refused.
  std::vector<quotas::Usage> Usages() const;

  // Stops all, and lets no more enter.
  void StopAll() ABSL_LOCKS_EXCLUDED(mutex_);
  void AwaitNone() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Idle = std::list<Connection*>;  // The oldest first.

  struct Entry {
    std::weak_ptr<Connection> connection;
    quotas::Share place;  // Of none: it was dropped.
    bool is_idle = false;
    Idle::iterator idle = {};  // In that of its address, if it is.
  };

  bool IsEmpty() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return entries_.empty(); }
  void AddIdle(Connection* connection, Entry* entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RemoveIdle(Entry* entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The one that makes room, which has no place any more; null = none does.
  std::shared_ptr<Connection> MakeRoom() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const ServerOptions options_;
  const Routes routes_;
  quotas::Quota places_;
  quotas::Quota requests_;
  quotas::Quota streams_;
  quotas::Quota body_bytes_;
  quotas::Quota answer_bytes_;
  quotas::Quota page_bytes_;
  absl::Mutex mutex_;
  bool stops_ ABSL_GUARDED_BY(mutex_) = false;
  std::map<Connection*, Entry> entries_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, Idle> idle_ ABSL_GUARDED_BY(mutex_);  // By address; none is empty.
};

}  // namespace priorityd::http

#endif  // PRIORITYD_SERVER_HTTP_CONNECTIONS_H_
