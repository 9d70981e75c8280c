// The connections of a listener: their number, quotas and handlers.
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
// For the end of a connection whose call is in progress.
inline constexpr absl::Duration kPeerLookInterval = absl::Seconds(1);
inline constexpr size_t kMaxBufferBytes = 128 << 10;

// Whether the peer of a socket has closed it, or its half of it; unread bytes do not hide that.
bool IsClosedByPeer(int socket);

// Makes TCP close a connection whose peer's host has answered nothing for kVanishedAfter, whether
// or not something was sent: a host that vanished does not close it.
inline constexpr absl::Duration kVanishedAfter = absl::Seconds(60);
void CloseIfPeerVanishes(int socket);

class Connection {
 public:
  virtual ~Connection() = default;
  // Closes the connection after answering a running request. Call from any thread.
  virtual void Stop() = 0;
  // Closes the connection at once. Call from any thread.
  virtual void Drop() = 0;
};

// A connection with a running request holds a place of `requests`: one whose request is whole, or
// whose large body its sender may send. All others, including those served a page, are idle: when
// there is no room left, the longest idle connection of the address with the most idle ones is
// dropped. Opening connections therefore does not harm other clients, and pages are served
// regardless of the number of running requests. Thread-safe.
class Connections {
 public:
  Connections(const ServerOptions& options, Routes routes);

  const ServerOptions& options() const { return options_; }

  // The handler of a path; null = a page, or nothing.
  const Handler* FindHandler(const std::string& path) const;
  // The refusal of a request with a large body, which is then not read; nullopt = it is read.
  std::optional<Response> RefuseLarge(const Request& head) const {
    return routes_.check_large == nullptr ? std::nullopt : routes_.check_large(head);
  }
  // Answers requests without a handler.
  Response PageFor(const Request& request) const;

  // False if as many requests are running as connections may be open.
  bool Enter(const std::shared_ptr<Connection>& connection, const quotas::Holder& peer)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void Leave(Connection* connection) ABSL_LOCKS_EXCLUDED(mutex_);

  // Marks the connection as busy, or as idle again. False if it was dropped.
  bool Keep(Connection* connection) ABSL_LOCKS_EXCLUDED(mutex_);
  bool LetGo(Connection* connection) ABSL_LOCKS_EXCLUDED(mutex_);

  quotas::Quota& requests() { return requests_; }
  quotas::Quota& streams() { return streams_; }
  quotas::Quota& body_bytes() { return body_bytes_; }
  quotas::Quota& answer_bytes() { return answer_bytes_; }
  quotas::Quota& page_bytes() { return page_bytes_; }
  // In `http_connections`, dropped connections count as refused.
  std::vector<quotas::Usage> Usages() const;

  // Stops all connections and refuses new ones.
  void StopAll() ABSL_LOCKS_EXCLUDED(mutex_);
  void AwaitNone() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Idle = std::list<Connection*>;  // Longest idle first.

  struct Entry {
    std::weak_ptr<Connection> connection;
    quotas::Share place;  // Empty = dropped.
    bool is_idle = false;
    Idle::iterator idle = {};  // In the list of its address, if idle.
  };

  bool IsEmpty() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return entries_.empty(); }
  void AddIdle(Connection* connection, Entry* entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RemoveIdle(Entry* entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The dropped connection, whose place is released; null = none can be dropped.
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

// Leaves when it is destroyed; the io_context may then be destroyed too.
struct Entered {
  Connections& all;
  Connection* const connection;
  ~Entered() { all.Leave(connection); }
};

}  // namespace priorityd::http

#endif  // PRIORITYD_SERVER_HTTP_CONNECTIONS_H_
