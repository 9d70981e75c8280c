// An HTTP server with a few paths, for tests.
#ifndef PRIORITYD_TESTS_SERVER_HTTP_SERVED_PATHS_H_
#define PRIORITYD_TESTS_SERVER_HTTP_SERVED_PATHS_H_

#include <gtest/gtest.h>
#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "server/http/server.h"
#include "tests/await.h"
#include "tests/server/http/raw_connection.h"

namespace priorityd::http {

class ServerTest : public ::testing::Test {
 protected:
  void Start(ServerOptions options = {}) {
    options.listen = "127.0.0.1:0";
    auto server =
        Server::Start(options, {.pages = {{"/page",
                                           [](const Request& request) {
                                             return Response{
                                                 .content_type = "text/x; n=1",
                                                 .body = request.Header("accept") + "!"};
                                           }},
                                          {"/large",
                                           [](const Request&) {
                                             return Response{.body = std::string(20 << 20, 'x')};
                                           }},
                                          {"/mebibyte",
                                           [](const Request&) {
                                             return Response{.body = std::string(1 << 20, 'x')};
                                           }},
                                          {"/counted",
                                           [this](const Request&) {
                                             ++made_;
                                             return Response{};
                                           }},
                                          {"/stuck",
                                           [this](const Request&) {
                                             ++blocked_;
                                             go_on_.WaitForNotification();
                                             return Response{};
                                           }},
                                          {"/ill",
                                           [](const Request&) {
                                             return Response{.status = 503, .body = "ill"};
                                           }}},
                                .handlers = {{"/echo",
                                              [](std::shared_ptr<http::Exchange> exchange) {
                                                Echo(*exchange);
                                              }},
                                             {"/wait",
                                              [this](std::shared_ptr<http::Exchange> exchange) {
                                                Wait(std::move(exchange));
                                              }},
                                             {"/block",
                                              [this](std::shared_ptr<http::Exchange> exchange) {
                                                ++blocked_;
                                                go_on_.WaitForNotification();
                                                Echo(*exchange);
                                              }},
                                             {"/drop", [](std::shared_ptr<http::Exchange>) {}},
                                             {"/events",
                                              [this](std::shared_ptr<http::Exchange> exchange) {
                                                Begin(std::move(exchange));
                                              }}},
                                .check_large = [](const Request& head) -> std::optional<Response> {
                                  if (head.Header("stranger").empty()) return std::nullopt;
                                  return Response{.status = 401, .body = "who are you"};
                                }});
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  // One address may have all there is.
  static ServerOptions Undivided(ServerOptions options) {
    for (const char* name : {"http_requests", "http_streams", "http_body_bytes",
                             "http_answer_bytes", "http_page_bytes"}) {
      EXPECT_TRUE(options.parts.Set(absl::StrCat(name, "=100%")).ok());
    }
    EXPECT_TRUE(options.parts.Set("services=0").ok());
    return options;
  }

  // What was sent, but for the method and the names of the peer.
  static void Echo(http::Exchange& exchange) {
    const Request& request = exchange.request();
    exchange.Answer({.body = absl::StrCat(request.method, " ", request.path, " ", request.query,
                                          " ", request.body)});
  }

  void Begin(std::shared_ptr<http::Exchange> exchange) {
    const absl::Status begun = exchange->BeginStream({.content_type = "text/event-stream"});
    if (!begun.ok()) {
      return exchange->Answer({.status = 503, .body = std::string(begun.message())});
    }
    exchange->OnGone([this] { ++gone_; });
    EXPECT_TRUE(exchange->Send("data: 1\n\n", [this] { ++sent_; }).ok());
    absl::MutexLock lock(&mutex_);
    streams_.push_back(std::move(exchange));
  }

  // Answers when the test lets it.
  void Wait(std::shared_ptr<http::Exchange> exchange) {
    absl::MutexLock lock(&mutex_);
    waiting_.push_back(std::move(exchange));
  }
  size_t CountWaiting() {
    absl::MutexLock lock(&mutex_);
    return waiting_.size();
  }

  // Of streams that may send another event.
  size_t CountStreams() {
    absl::MutexLock lock(&mutex_);
    return std::min(streams_.size(), sent_.load());
  }

  httplib::Result Get(const std::string& path, const httplib::Headers& headers = {}) {
    httplib::Client client("http://" + server_->address());
    client.set_read_timeout(60);
    return client.Get(path.c_str(), headers);
  }
  // Where the time to read is short, a request that comes too late is not answered.
  bool AwaitPage() {
    return Await([&] {
      const auto page = Get("/page");
      return page && page->status == 200;
    });
  }

  std::string Exchange(const std::string& request) {
    RawConnection connection(server_->address());
    connection.Send(request);
    return connection.ReadAll();
  }

  absl::Mutex mutex_;
  std::atomic<int> gone_ = 0;
  std::atomic<size_t> sent_ = 0;  // First events of streams that the socket has accepted.
  std::atomic<int> blocked_ = 0;  // Threads of handlers and of pages, until go_on_.
  std::atomic<int> made_ = 0;     // Pages at /counted.
  absl::Notification go_on_;
  std::unique_ptr<Server> server_;
  // Let go of before the server, which waits for that.
  std::vector<std::shared_ptr<http::Exchange>> streams_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<http::Exchange>> waiting_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::http

#endif  // PRIORITYD_TESTS_SERVER_HTTP_SERVED_PATHS_H_
