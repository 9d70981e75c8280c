// An HTTP request and its answer: immediate, deferred, or a stream of events.
#ifndef PRIORITYD_SERVER_HTTP_EXCHANGE_H_
#define PRIORITYD_SERVER_HTTP_EXCHANGE_H_

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace priorityd::http {

// The peer of a connection.
struct Peer {
  std::string address;  // In gRPC's form: `ipv4:127.0.0.1:54321`.
  // The names in the verified client certificate, alternative names first. Empty = none.
  std::vector<std::string> certificate_names;
};

struct Request {
  std::string method;  // As `GET`.
  std::string path;    // Without the query; as sent, not decoded.
  std::string query;   // The part after `?`, as sent.
  // By name in lower case; repeated headers are joined by `, `.
  std::map<std::string, std::string> headers;
  std::string body;
  Peer peer;

  // Whether it only reads: GET, or HEAD for the head alone.
  bool IsRead() const { return method == "GET" || method == "HEAD"; }

  // Empty if there is none.
  std::string Header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
};

struct Response {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;  // Further headers.
};

// A smaller piece of a stream is always sent.
inline constexpr size_t kSmallPieceBytes = 16 << 10;

// Thread-safe. Destroying it without an answer closes the connection; a started stream must be
// ended.
class Exchange {
 public:
  virtual ~Exchange() = default;

  virtual const Request& request() const = 0;

  // Answers; call once, or BeginStream instead.
  virtual void Answer(Response response) = 0;

  // Answers with a head whose body follows in pieces. RESOURCE_EXHAUSTED (QUOTA_EXCEEDED), without
  // effect, if the maximum of streams is open.
  virtual absl::Status BeginStream(Response head) = 0;
  // Sends one piece and calls `sent` once the socket has accepted it, but not if the peer has gone.
  // One piece at a time. A piece above kSmallPieceBytes takes room until then: RESOURCE_EXHAUSTED
  // (QUOTA_EXCEEDED, MEMORY_BUDGET), without effect, if there is none.
  virtual absl::Status Send(std::string piece, std::function<void()> sent) = 0;
  // Call after the last piece.
  virtual void EndStream() = 0;

  // `gone` is called once if the peer leaves, or the server stops, before everything is sent. It
  // must not block. A peer that leaves before a single answer is noticed when the answer is sent.
  virtual void OnGone(std::function<void()> gone) = 0;
  // Call after OnGone: from then on a peer that closes the connection, or its half of it, before a
  // single answer is noticed within a second.
  virtual void LookForPeer() = 0;
};

// Called concurrently by several threads; may compute for a while.
using Handler = std::function<void(std::shared_ptr<Exchange>)>;
// Answers at once.
using Page = std::function<Response(const Request&)>;

struct Routes {
  // By path, as "/metrics", for GET and HEAD.
  std::map<std::string, Page> pages;
  // By prefix of the path, as "/v1/", for every method, with bodies.
  std::map<std::string, Handler> handlers;
  // Called concurrently with the head of a request to a handler before more of its body than
  // ServerOptions::small_body_bytes is read: an answer refuses the request. Null = all bodies are
  // read.
  std::function<std::optional<Response>(const Request& head)> check_large;
};

}  // namespace priorityd::http

#endif  // PRIORITYD_SERVER_HTTP_EXCHANGE_H_
