// Converts requests and responses between Beast's types and ours. For session.h only.
#ifndef PRIORITYD_SERVER_HTTP_BEAST_MESSAGES_H_
#define PRIORITYD_SERVER_HTTP_BEAST_MESSAGES_H_

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/http.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "server/http/exchange.h"

namespace priorityd::http {

namespace asio = boost::asio;
namespace message = boost::beast::http;
using boost::beast::string_view;
using boost::system::error_code;
using Answered = message::response<message::string_body>;

// In gRPC's form of a peer.
inline std::string PeerAddress(const asio::ip::tcp::endpoint& peer) {
  if (peer.address().is_v4())
    return absl::StrCat("ipv4:", peer.address().to_string(), ":", peer.port());
  return absl::StrCat("ipv6:%5B", peer.address().to_string(), "%5D:", peer.port());
}

inline absl::string_view View(string_view text) { return {text.data(), text.size()}; }

// Without the body.
inline Request RequestOf(const message::request<message::string_body>& head, const Peer& peer) {
  Request request;
  request.method = std::string(head.method_string());
  const std::string target(head.target());
  const size_t mark = target.find('?');
  request.path = target.substr(0, mark);
  if (mark != std::string::npos) request.query = target.substr(mark + 1);
  for (const auto& field : head) {
    std::string& value = request.headers[absl::AsciiStrToLower(View(field.name_string()))];
    absl::StrAppend(&value, value.empty() ? "" : ", ", View(field.value()));
  }
  request.peer = peer;
  return request;
}

// The refusal for lack of memory, a temporary error.
inline Response Busy(std::string text) {
  return {503, "text/plain; charset=utf-8", std::move(text), {{"Retry-After", "1"}}};
}

inline void SetHead(const Response& response, Answered* answer) {
  answer->version(11);
  answer->result(static_cast<unsigned>(response.status));
  answer->set("Content-Type", response.content_type);
  answer->set("X-Content-Type-Options", "nosniff");
  for (const auto& [name, value] : response.headers) answer->insert(name, value);
}

// The head of a stream, whose body ends when the connection is closed.
inline std::string HeadOf(const Response& head) {
  Answered answer;
  SetHead(head, &answer);
  answer.keep_alive(false);
  std::ostringstream text;
  text << answer.base();
  return text.str();
}

// The answer to an unreadable head; nullopt = the peer has gone.
inline std::optional<Response> RefusalOfHead(const boost::system::error_code& error) {
  if (error == message::error::header_limit) {
    return Response{431, "text/plain", "the head is too long\n"};
  }
  if (error.category() == make_error_code(message::error::bad_method).category() &&
      error != message::error::end_of_stream && error != message::error::partial_message) {
    return Response{400, "text/plain", "want a request of HTTP/1.1\n"};
  }
  return std::nullopt;
}

// The refusal of a request that a proxy may read otherwise: one that names no host, or two (RFC
// 9112, 3.2), or has another transfer coding than chunked (6.3), whose body Beast takes for the
// next request. HTTP/1.0 needs no host, and has no coding; nullopt = it is served.
inline std::optional<Response> RefusalOf(const message::request<message::string_body>& head) {
  const bool is_old = head.version() < 11;
  const auto hosts = head.count(message::field::host);
  if (hosts > 1 || (hosts == 0 && !is_old)) {
    return Response{400, "text/plain",
                    absl::StrCat("Host: got ", hosts, " lines of it, want one\n")};
  }
  const auto codings = head.count(message::field::transfer_encoding);
  const absl::string_view coding = View(head[message::field::transfer_encoding]);
  const bool is_chunked = codings == 1 && absl::EqualsIgnoreCase(coding, "chunked") && !is_old;
  if (codings == 0 || is_chunked) return std::nullopt;
  return Response{400, "text/plain", "Transfer-Encoding: want none, or chunked in HTTP/1.1\n"};
}

}  // namespace priorityd::http

#endif  // PRIORITYD_SERVER_HTTP_BEAST_MESSAGES_H_
