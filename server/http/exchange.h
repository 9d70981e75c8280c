// A request over HTTP, and how it is answered: at once, later, or as a stream of events.
#ifndef PRIORITYD_SERVER_HTTP_EXCHANGE_H_
#define PRIORITYD_SERVER_HTTP_EXCHANGE_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace priorityd::http {

// Who is at the other end of a connection.
struct Peer {
  std::string address;  // As gRPC names it: `ipv4:127.0.0.1:54321`.
  // Of the client certificate, which has been verified: alternative names first. Empty = none.
  std::vector<std::string> certificate_names;
};

struct Request {
  std::string method;  // As `GET`.
  std::string path;    // Without the query; as sent, nothing decoded.
  std::string query;   // What follows the `?`, as sent.
  // By name in lower case; those that came more than once are joined by `, `.
  std::map<std::string, std::string> headers;
  std::string body;
  Peer peer;

  // Whether it only asks for what is there; HEAD for the head of that alone.
  bool IsRead() const { return method == "GET" || method == "HEAD"; }

  // Empty where there is none.
  std::string Header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
};

struct Response {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;  // More of them.
};

// Thread-safe. Let go of without an answer, it closes the connection; a stream that was begun has
// to be ended.
class Exchange {
 public:
  virtual ~Exchange() = default;

  virtual const Request& request() const = 0;

  // Answers; to be called once, or BeginStream instead.
  virtual void Answer(Response response) = 0;

  // Answers with a head whose body comes in pieces. RESOURCE_EXHAUSTED (QUOTA_EXCEEDED), and
  // nothing is done, where as many streams are open as may be.
  virtual absl::Status BeginStream(Response head) = 0;
  // Sends one piece, and calls `sent` once the socket has taken it; not at all if the peer has
  // gone. One piece at a time.
  virtual void Send(std::string piece, std::function<void()> sent) = 0;
  // After the last piece.
  virtual void EndStream() = 0;

  // `gone` is called once if the peer goes, or the server stops, before all is sent. It must not
  // block. A peer who goes before a single answer is noticed when that is sent.
  virtual void OnGone(std::function<void()> gone) = 0;
};

// Called by several threads at once; may compute for a while.
using Handler = std::function<void(std::shared_ptr<Exchange>)>;
// What answers at once.
using Page = std::function<Response(const Request&)>;

struct Routes {
  // By path, as "/metrics", for GET and HEAD.
  std::map<std::string, Page> pages;
  // By the beginning of the path, as "/v1/", for every method, and with a body.
  std::map<std::string, Handler> handlers;
  // Asked, by several threads at once, about the head of a request to a handler before more of its
  // body is read than ServerOptions::small_body_bytes: an answer refuses it. Null = all are read.
  std::function<std::optional<Response>(const Request& head)> check_large;
};

}  // namespace priorityd::http

#endif  // PRIORITYD_SERVER_HTTP_EXCHANGE_H_
