// One connection, plain or TLS. For server.cc only: Beast's headers are slow to compile.
// sizes: allow (the states of one connection)
#ifndef PRIORITYD_SERVER_HTTP_SESSION_H_
#define PRIORITYD_SERVER_HTTP_SESSION_H_

#include <atomic>
#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/time/time.h"
#include "server/http/alarm.h"
#include "server/http/beast_messages.h"
#include "server/http/certificate_names.h"
#include "server/http/connections.h"
#include "server/http/exchange.h"
#include "server/http/page_thread.h"
#include "server/http/session_shares.h"
#include "server/quotas/quota.h"

namespace priorityd::http {

// Plain or TLS. The thread of the io_context owns socket and state; calls of Exchange from other
// threads are posted to it.
template <typename Socket>
class Session : public Exchange,
                public Connection,
                public std::enable_shared_from_this<Session<Socket>> {
 public:
  Session(Connections& all, asio::io_context& io, asio::thread_pool& workers, PageThread& pages,
          Socket socket, const quotas::Holder& peer)
      : entered_{all, this},
        all_(all),
        io_(io),
        workers_(workers),
        pages_(pages),
        socket_(std::move(socket)),
        alarm_(io),
        shares_(all, peer) {}

  void Start() {
    error_code error;
    const auto peer = lowest().remote_endpoint(error);
    if (error) return;
    lowest().set_option(asio::ip::tcp::no_delay(true), error);
    CloseIfPeerVanishes(lowest().native_handle());
    peer_.address = PeerAddress(peer);
    Arm(options().read_time, &Session::Close);
    Handshake();
  }

  const Request& request() const override { return request_; }

  void Answer(Response response) override {
    asio::post(io_, [self = Self(), response = std::move(response)]() mutable {
      self->Write(std::move(response));
    });
  }

  absl::Status BeginStream(Response head) override {
    if (absl::Status s = shares_.stream.GrowTo(1); !s.ok()) return s;
    is_stream_ = true;
    asio::post(io_, [self = Self(), head = std::move(head)]() mutable {
      self->keep_alive_ = false;
      self->WatchPeer();
      self->Push({.text = HeadOf(head)});
    });
    return absl::OkStatus();
  }

  absl::Status Send(std::string text, std::function<void()> sent) override {
    auto piece = shares_.PieceOf(std::move(text), std::move(sent));
    if (!piece.ok()) return piece.status();
    asio::post(io_, [self = Self(), piece = *std::move(piece)]() mutable {
      if (self->is_closed_) return;
      if (!self->is_pushing_) return self->Push(std::move(piece));
      self->waiting_ = std::move(piece);
    });
    return absl::OkStatus();
  }

  void EndStream() override {
    asio::post(io_, [self = Self()] {
      self->ends_ = true;
      self->gone_ = nullptr;
      if (!self->is_pushing_) self->SayFarewell();
    });
  }

  void OnGone(std::function<void()> gone) override {
    asio::post(io_, [self = Self(), gone = std::move(gone)]() mutable {
      if (self->is_closed_) return gone();
      self->gone_ = std::move(gone);
    });
  }

  void LookForPeer() override {
    asio::post(io_, [self = Self()] { self->Look(); });
  }

  void Stop() override {
    std::weak_ptr<Session> weak = this->weak_from_this();
    asio::post(io_, [weak] {
      if (const auto self = weak.lock()) self->StopNow();
    });
  }

  void Drop() override {
    asio::post(io_, [weak = this->weak_from_this()] {
      if (const auto self = weak.lock()) self->Close();
    });
  }

 private:
  using Parser = message::request_parser<message::string_body>;
  static constexpr bool kIsTls = !std::is_same_v<Socket, asio::ip::tcp::socket>;

  std::shared_ptr<Session> Self() { return this->shared_from_this(); }
  const ServerOptions& options() const { return all_.options(); }
  asio::ip::tcp::socket::lowest_layer_type& lowest() { return socket_.lowest_layer(); }

  void Arm(absl::Duration time, void (Session::*then)()) {
    alarm_.Arm(time, this->weak_from_this(), then);
  }

  void Handshake() {
    if constexpr (kIsTls) {
      socket_.async_handshake(asio::ssl::stream_base::server, [self = Self()](error_code error) {
        if (error) return self->Close();
        self->peer_.certificate_names = CertificateNames(self->socket_.native_handle());
        self->ReadHead();
      });
    } else {
      ReadHead();
    }
  }

  void ReadHead() {
    parser_.emplace();
    parser_->header_limit(static_cast<uint32_t>(options().max_head_bytes));
    // Checked once the head has arrived.
    parser_->body_limit(std::numeric_limits<uint64_t>::max());
    message::async_read_header(socket_, buffer_, *parser_,
                               [self = Self()](error_code error, size_t) {
                                 if (error) return self->RefuseHead(error);
                                 self->TakeHead();
                               });
  }

  void RefuseHead(error_code error) {
    std::optional<Response> refusal = RefusalOfHead(error);
    refusal.has_value() ? Refuse(*std::move(refusal)) : Close();
  }

  void TakeHead() {
    const auto& head = parser_->get();
    keep_alive_ = parser_->keep_alive();
    request_ = RequestOf(head, peer_);
    if (auto refusal = RefusalOf(head); refusal.has_value()) return Refuse(*std::move(refusal));
    const Handler* handler = all_.FindHandler(request_.path);
    if (handler == nullptr) {
      // A body is not read.
      keep_alive_ &= parser_->is_done();
      is_page_ = true;
      if (!all_.LetGo(this)) return Close();
      return pages_.Post(shares_.page.holder(),
                         Working([this] { Answer(all_.PageFor(request_)); }));
    }
    if (parser_->content_length_remaining().value_or(0) > options().max_body_bytes) {
      return Refuse(BodyTooLarge(options()));
    }
    parser_->body_limit(options().max_body_bytes);
    may_be_large_ = false;
    Arm(options().body_time, &Session::Close);
    if (parser_->content_length_remaining().value_or(0) > options().small_body_bytes) {
      return CheckLarge([handler](Session* session) { session->ReadBody(handler); });
    }
    ReadBody(handler);
  }

  void Refuse(Response response) {
    keep_alive_ = false;
    Write(std::move(response));
  }

  // Continues with `then` unless a large body is refused, which a worker thread checks.
  void CheckLarge(std::function<void(Session*)> then) {
    if (!TakePlace()) return;
    asio::post(workers_, [self = Self(), then = std::move(then)] {
      asio::post(self->io_,
                 [self, then, refused = self->all_.RefuseLarge(self->request_)]() mutable {
                   if (self->is_closed_) return;
                   self->may_be_large_ = true;
                   if (!refused.has_value()) return then(self.get());
                   self->Refuse(*std::move(refused));
                 });
    });
  }

  void ReadBody(const Handler* handler) {
    if (absl::EqualsIgnoreCase(request_.Header("expect"), "100-continue")) {
      // A few bytes, which the socket accepts.
      continue_ = "HTTP/1.1 100 Continue\r\n\r\n";
      asio::async_write(socket_, asio::buffer(continue_),
                        [self = Self(), handler](error_code error, size_t) {
                          if (error) return self->Close();
                          self->ReadRest(handler);
                        });
      return;
    }
    ReadRest(handler);
  }

  void ReadRest(const Handler* handler) {
    if (parser_->is_done()) return Hand(handler);
    message::async_read_some(
        socket_, buffer_, *parser_, [self = Self(), handler](error_code error, size_t) {
          if (error == message::error::body_limit)
            return self->Refuse(BodyTooLarge(self->options()));
          if (error) return self->Close();
          // By the bytes received, not by the announced size: a client that sends nothing takes
          // nothing.
          const absl::Status room = self->shares_.body.GrowTo(self->parser_->get().body().size());
          if (!room.ok()) return self->Refuse(Busy(room));
          const bool is_large = self->shares_.body.size() > self->options().small_body_bytes;
          if (!is_large || self->may_be_large_) return self->ReadRest(handler);
          self->CheckLarge([handler](Session* session) { session->ReadRest(handler); });
        });
  }

  // For a request that is whole, or for a large one that its sender may send: a body that never
  // comes holds none. False if the request was refused.
  bool TakePlace() {
    if (absl::Status s = shares_.request.GrowTo(1); !s.ok()) return Refuse(Busy(s)), false;
    return all_.Keep(this) || (Close(), false);
  }

  void Hand(const Handler* handler) {
    if (!TakePlace()) return;
    request_.body = std::move(parser_->get().body());
    asio::post(workers_, Working([this, handler] { (*handler)(Self()); }));
  }

  // Only the working thread holds the session; one that has made room for others gets nothing.
  std::function<void()> Working(std::function<void()> work) {
    alarm_.Disarm();
    is_at_work_ = true;
    return [self = Self(), work = std::move(work)] { self->is_closed_ ? void() : work(); };
  }

  void Write(Response response) {
    if (is_closed_) return;
    is_at_work_ = false;
    if (absl::Status s = shares_.TakeRoomFor(response, is_page_); !s.ok()) response = Busy(s);
    const bool has_body = response.status != 304 && response.status != 204;
    answer_.emplace();
    SetHead(response, &*answer_);
    if (!has_body) answer_->erase("Content-Type");
    answer_->keep_alive(keep_alive_ && !stops_);
    const size_t size = response.body.size();
    if (request_.method != "HEAD") answer_->body() = std::move(response.body);
    if (has_body) answer_->content_length(size);
    serializer_.emplace(*answer_);
    Arm(TimeToWrite(options(), size), &Session::Close);
    message::async_write(socket_, *serializer_,
                         [self = Self()](error_code error, size_t) { self->Written(error); });
  }

  void Written(error_code error) {
    gone_ = nullptr;
    shares_.Clear();
    is_page_ = false;
    const bool goes_on = answer_->keep_alive() && !stops_;
    serializer_.reset();
    answer_.reset();
    request_ = {};
    if (error) return Close();
    if (!all_.LetGo(this)) return Close();
    if (!goes_on) return SayFarewell();
    Arm(options().idle_time, &Session::Close);
    ReadHead();
  }

  void Push(Piece piece) {
    is_pushing_ = true;
    piece_ = std::move(piece);
    Arm(TimeToWrite(options(), piece_.text.size()), &Session::Close);
    asio::async_write(socket_, asio::buffer(piece_.text),
                      [self = Self()](error_code error, size_t) { self->Pushed(error); });
  }

  void Pushed(error_code error) {
    is_pushing_ = false;
    const std::function<void()> sent = std::exchange(piece_, {}).sent;  // Frees text and room.
    if (error || is_closed_) return Close();
    if (sent != nullptr) sent();
    PushNext();
  }

  void PushNext() {
    if (waiting_.has_value()) return Push(*std::exchange(waiting_, std::nullopt));
    if (ends_) return SayFarewell();
    Arm(options().heartbeat, &Session::PushHeartbeat);
  }

  // Sends a comment of server-sent events.
  void PushHeartbeat() {
    if (!is_pushing_) Push({.text = ":\n\n"});
  }

  // The reader of a stream sends nothing: any input is the end.
  void WatchPeer() {
    socket_.async_read_some(asio::buffer(&ignored_, 1), [self = Self()](error_code, size_t) {
      if (!self->says_farewell_) self->Close();
    });
  }

  // A socket that is not read shows nevertheless that its peer has closed it.
  void Look() {
    if (!is_at_work_ || gone_ == nullptr) return;
    if (IsClosedByPeer(lowest().native_handle())) return std::exchange(gone_, nullptr)();
    Arm(kPeerLookInterval, &Session::Look);
  }

  // Lets the peer read what was sent before the socket is closed.
  void SayFarewell() {
    says_farewell_ = true;
    Arm(kFarewellTime, &Session::Close);
    if constexpr (kIsTls) {
      socket_.async_shutdown([self = Self()](error_code) { self->Close(); });
    } else {
      error_code ignored;
      lowest().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
      AwaitEnd();
    }
  }

  void AwaitEnd() {
    socket_.async_read_some(asio::buffer(&ignored_, 1), [self = Self()](error_code error, size_t) {
      error ? self->Close() : self->AwaitEnd();
    });
  }

  void StopNow() {
    stops_ = true;
    // A running request is still answered.
    if (is_stream_ || (!is_at_work_ && !answer_.has_value())) return Close();
    if (gone_ != nullptr) std::exchange(gone_, nullptr)();
  }

  void Close() {
    if (is_closed_) return;
    is_closed_ = true;
    alarm_.Disarm();
    error_code ignored;
    lowest().close(ignored);
    waiting_.reset();
    if (gone_ != nullptr) std::exchange(gone_, nullptr)();
  }

  // Destroyed last, when nothing of the session uses the io_context any longer.
  const Entered entered_;
  Connections& all_;
  asio::io_context& io_;
  asio::thread_pool& workers_;
  PageThread& pages_;
  Socket socket_;
  Alarm alarm_;
  Peer peer_;
  // Bounded separately: chunk extensions count as neither head nor body.
  boost::beast::flat_buffer buffer_{kMaxBufferBytes};
  std::optional<Parser> parser_;
  Request request_;
  std::string continue_;
  SessionShares shares_;
  std::optional<Answered> answer_;
  std::optional<message::response_serializer<message::string_body>> serializer_;
  bool keep_alive_ = false;
  bool may_be_large_ = false;  // The body of the present request.
  bool is_at_work_ = false;
  bool is_page_ = false;
  bool stops_ = false;
  std::atomic<bool> is_closed_ = false;
  std::function<void()> gone_;

  // State of a stream.
  std::atomic<bool> is_stream_ = false;
  bool is_pushing_ = false;
  bool ends_ = false;
  bool says_farewell_ = false;
  char ignored_ = 0;
  Piece piece_;
  std::optional<Piece> waiting_;
};

}  // namespace priorityd::http

#endif  // PRIORITYD_SERVER_HTTP_SESSION_H_
