// Who takes more than their part of what a listener has, and who is served nevertheless.
#include "server/http/connections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tests/await.h"
#include "tests/keepalive.h"
#include "tests/server/http/served_paths.h"

namespace priorityd::http {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kPage[] = "GET /page HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";

// A client of this test at 127.0.0.1, as refusals name it.
std::string Own() { return absl::StrCat("127.0.0.1 (uid ", geteuid(), ")"); }

class ConnectionsTest : public ServerTest {
 protected:
  // A client at another address of this host: 127.0.0.`last`.
  std::unique_ptr<RawConnection> From(int last) {
    return std::make_unique<RawConnection>(server_->address(), absl::StrCat("127.0.0.", last));
  }
  std::string Ask(int last, const std::string& path) {
    const auto connection = From(last);
    connection->Send(
        absl::StrCat("GET ", path, " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"));
    return connection->ReadAll();
  }
  quotas::Usage UsageOf(const std::string& name) {
    for (const quotas::Usage& usage : server_->Usages()) {
      if (usage.name == name) return usage;
    }
    return {};
  }
};

TEST_F(ConnectionsTest, TwoThousandSilentConnectionsOfAPeerCloseNoPageToOthersAtItsAddress) {
  Start({.threads = 1, .read_time = absl::Seconds(60)});
  std::vector<std::unique_ptr<RawConnection>> silent;
  for (int i = 0; i < 2048; ++i) silent.push_back(From(1));
  for (int i = 0; i < 20; ++i) ASSERT_THAT(Exchange(kPage), StartsWith("HTTP/1.1 200"));
  EXPECT_LE(UsageOf("http_connections").used, 2048u);
  EXPECT_GE(UsageOf("http_connections").refused, 1u);
}

// A reader of events gets some every 15 s, so data that its host does not acknowledge count too.
TEST_F(ConnectionsTest, APeerWhoseHostVanishesIsAskedForAndHasAMinute) {
  Start({.read_time = absl::Seconds(60)});
  const auto silent = From(1);
  const std::string& address = server_->address();
  int port = 0;
  ASSERT_TRUE(absl::SimpleAtoi(address.substr(address.rfind(':') + 1), &port));
  EXPECT_TRUE(Await([&] {
    const auto next = NextKeepaliveFrom(port);
    return next.has_value() && *next <= kVanishedAfter / 2;
  }));
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  CloseIfPeerVanishes(socket);
  int limit = 0;
  socklen_t size = sizeof(limit);
  ASSERT_EQ(getsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &limit, &size), 0);
  EXPECT_EQ(absl::Milliseconds(limit), kVanishedAfter);
  close(socket);
}

TEST_F(ConnectionsTest, TheOldestWithoutARequestMakesRoomOfTheAddressThatHasMost) {
  Start({.threads = 1, .max_connections = 4, .read_time = absl::Seconds(60)});
  const auto other = From(2);
  std::vector<std::unique_ptr<RawConnection>> silent;
  for (int i = 0; i < 4; ++i) silent.push_back(From(1));
  EXPECT_EQ(silent[0]->ReadAll(), "");
  EXPECT_THAT(Ask(1, "/page"), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(silent[1]->ReadAll(), "");
  // The oldest of all, but the only one of its address.
  other->Send(kPage);
  EXPECT_THAT(other->ReadAll(), StartsWith("HTTP/1.1 200"));
  silent[3]->Send(kPage);
  EXPECT_THAT(silent[3]->ReadAll(), StartsWith("HTTP/1.1 200"));
}

TEST_F(ConnectionsTest, AnAddressWithItsPartOfRequestsIsRefusedByNameAndOthersAndPagesAreServed) {
  ServerOptions options = {.threads = 1, .max_connections = 40, .read_time = absl::Seconds(60)};
  ASSERT_TRUE(options.parts.Set("http_requests=3").ok());
  Start(options);
  std::vector<std::unique_ptr<RawConnection>> at_work;
  for (size_t i = 0; i < 3; ++i) {
    at_work.push_back(From(1));
    at_work.back()->Send("GET /wait HTTP/1.1\r\nHost: h\r\n\r\n");
    ASSERT_TRUE(Await([&] { return CountWaiting() == i + 1; }));
  }
  const std::string refused = Ask(1, "/echo");
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(refused, HasSubstr("Retry-After: 1\r\n"));
  EXPECT_THAT(refused, HasSubstr(absl::StrCat("http_requests: got 4 of ", Own(),
                                              ", want at most 3 of one caller "
                                              "(--quota=http_requests=N)")));
  EXPECT_THAT(Ask(1, "/page"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(Ask(2, "/echo"), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(UsageOf("http_requests").used, 3u);
  EXPECT_EQ(UsageOf("http_requests").refused, 1u);
  absl::MutexLock lock(&mutex_);
  for (const auto& exchange : waiting_) exchange->Answer({.body = "done"});
  waiting_.clear();
}

TEST_F(ConnectionsTest, BodiesThatNeverComeHoldNoPlaceOfOthers) {
  Start({.threads = 1,
         .max_connections = 20,
         .read_time = absl::Seconds(60),
         .body_time = absl::Seconds(60)});
  std::vector<std::unique_ptr<RawConnection>> slow;
  for (int i = 0; i < 40; ++i) {
    slow.push_back(From(i % 4 + 1));
    slow.back()->Send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nx");
    // Once it is answered, the server has read the head before it.
    ASSERT_THAT(Ask(5, "/echo"), StartsWith("HTTP/1.1 200"));
  }
  // The last one has not made room for others.
  slow.back()->Send("y");
  EXPECT_THAT(slow.back()->ReadSome(), StartsWith("HTTP/1.1 200"));
}

TEST_F(ConnectionsTest, PagesAreServedWhileRequestsHoldAllTheirPlaces) {
  Start({.threads = 1, .max_connections = 20, .read_time = absl::Seconds(60)});
  std::vector<std::unique_ptr<RawConnection>> at_work;
  for (int i = 0; i < 20; ++i) {
    at_work.push_back(From(i % 5 + 1));
    at_work.back()->Send("GET /wait HTTP/1.1\r\nHost: h\r\n\r\n");
  }
  ASSERT_TRUE(Await([&] { return CountWaiting() == 10; }));
  EXPECT_THAT(Ask(1, "/echo"), HasSubstr("http_requests: got 11 of all callers, want at most 10 "
                                         "beside 10 for services"));
  EXPECT_THAT(Ask(1, "/page"), StartsWith("HTTP/1.1 200"));
  absl::MutexLock lock(&mutex_);
  waiting_.clear();
}

TEST_F(ConnectionsTest, PagesAreServedWhileRequestsHoldAllThreads) {
  Start({.threads = 2});
  std::vector<std::unique_ptr<RawConnection>> at_work;
  for (int i = 0; i < 2; ++i) {
    at_work.push_back(From(1));
    at_work.back()->Send("GET /block HTTP/1.1\r\nHost: h\r\n\r\n");
  }
  ASSERT_TRUE(Await([&] { return blocked_ == 2; }));
  EXPECT_THAT(Ask(1, "/page"), StartsWith("HTTP/1.1 200"));
  go_on_.Notify();
}

TEST_F(ConnectionsTest, NoPageIsMadeForConnectionsThatHaveMadeRoomForOthers) {
  Start({.threads = 1, .max_connections = 4, .read_time = absl::Seconds(60)});
  const auto first = From(1);
  first->Send("GET /stuck HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_TRUE(Await([&] { return blocked_ == 1; }));
  std::vector<std::unique_ptr<RawConnection>> waiting;
  for (int i = 0; i < 20; ++i) {
    waiting.push_back(From(1));
    waiting.back()->Send("GET /counted HTTP/1.1\r\nHost: h\r\n\r\n");
    // Once it is answered, the server has read the request before it.
    ASSERT_THAT(Ask(2, "/echo"), StartsWith("HTTP/1.1 200"));
  }
  go_on_.Notify();
  server_.reset();
  EXPECT_LE(made_, 4);
}

TEST_F(ConnectionsTest, AnAddressWithItsPartOfStreamsIsRefusedByNameAndOthersBeginThem) {
  Start({.max_streams = 10});
  std::vector<std::unique_ptr<RawConnection>> readers;
  for (size_t i = 0; i < 5; ++i) {
    readers.push_back(From(1));
    readers.back()->Send("GET /events HTTP/1.1\r\nHost: h\r\n\r\n");
    ASSERT_TRUE(Await([&] { return CountStreams() == i + 1; }));
  }
  EXPECT_THAT(Ask(1, "/events"),
              HasSubstr(absl::StrCat("http_streams: got 6 of ", Own(),
                                     ", want at most 5 of one caller (--quota=http_streams=N); "
                                     "close other streams")));
  readers.push_back(From(2));
  readers.back()->Send("GET /events HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_TRUE(Await([&] { return CountStreams() == 6; }));
  for (const auto& stream : streams_) stream->EndStream();
}

TEST_F(ConnectionsTest, AnAddressWithItsPartOfBodiesIsRefusedByNameAndOthersAreRead) {
  Start({.threads = 1, .all_body_bytes = 1000});
  const auto large = [](size_t bytes) {
    return absl::StrCat("POST /echo HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: ",
                        bytes, "\r\n\r\n");
  };
  const auto greedy = From(1);
  greedy->Send(absl::StrCat(large(900), std::string(500, 'x')));
  ASSERT_TRUE(Await([&] { return UsageOf("http_body_bytes").used == 500; }));
  const auto more = From(1);
  more->Send(absl::StrCat(large(1), "x"));
  EXPECT_THAT(more->ReadAll(),
              HasSubstr(absl::StrCat("http_body_bytes: got 501 of ", Own(), ", want at most 500")));
  const auto other = From(2);
  other->Send(absl::StrCat(large(300), std::string(300, 'y')));
  EXPECT_THAT(other->ReadAll(), StartsWith("HTTP/1.1 200"));
}

TEST_F(ConnectionsTest, AnAddressWithItsPartOfAnswersIsRefusedByNameAndOthersReadTheirs) {
  Start({.threads = 1, .all_answer_bytes = 1000});
  const std::string body(600, 'x');
  const auto ask = [&](int last) {
    const auto connection = From(last);
    connection->Send(
        absl::StrCat("POST /echo HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 600",
                     "\r\n\r\n", body));
    return connection->ReadAll();
  };
  EXPECT_THAT(ask(1), HasSubstr(absl::StrCat("of ", Own(),
                                             ", want at most 500 of one caller "
                                             "(--quota=http_answer_bytes=N); read other answers "
                                             "first")));
  EXPECT_THAT(Ask(2, "/echo"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(Ask(1, "/page"), StartsWith("HTTP/1.1 200"));
}

TEST_F(ConnectionsTest, ALargePageIsServedWhileRequestsHoldAllMemory) {
  Start({.memory = {[](size_t) { return false; }, [](size_t) {}}});
  EXPECT_THAT(Ask(1, "/echo"), StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(Ask(1, "/mebibyte"), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(UsageOf("http_page_bytes").refused, 0u);
}

TEST_F(ConnectionsTest, AnAddressWithItsPartOfPagesIsRefusedByNameAndOthersReadTheirs) {
  Start({.all_page_bytes = 45 << 20, .write_time = absl::Seconds(60)});
  const auto greedy = From(1);
  greedy->Send("GET /large HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_TRUE(Await([&] { return UsageOf("http_page_bytes").used == 20 << 20; }));
  const std::string refused = Ask(1, "/large");
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(refused, HasSubstr(absl::StrCat("http_page_bytes: got 41943040 of ", Own(),
                                              ", want at most 23592960 of one caller "
                                              "(--quota=http_page_bytes=N); read other pages")));
  EXPECT_THAT(Ask(1, "/page"), StartsWith("HTTP/1.1 200")) << "a small one takes nothing";
  EXPECT_THAT(Ask(2, "/large"), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(UsageOf("http_page_bytes").limit, size_t{45} << 20);
}

TEST_F(ConnectionsTest, AnEventIsCountedWithAnswersUntilItIsReadOrItsReaderLeaves) {
  constexpr size_t kEvent = 20 << 20;
  std::atomic<bool> is_sent = false;
  Start({.all_answer_bytes = 45 << 20, .write_time = absl::Seconds(60)});
  const auto used = [&] { return UsageOf("http_answer_bytes").used; };
  std::vector<std::unique_ptr<RawConnection>> readers;
  for (size_t i = 0; i < 2; ++i) {
    readers.push_back(From(1));
    readers[i]->Send("GET /events HTTP/1.1\r\nHost: h\r\n\r\n");
    ASSERT_TRUE(Await([&] { return CountStreams() == i + 1; }));
  }
  ASSERT_TRUE(streams_[0]->Send(std::string(kEvent, 'x'), [&] { is_sent = true; }).ok());
  EXPECT_EQ(used(), kEvent);
  const absl::Status refused = streams_[1]->Send(std::string(kEvent, 'y'), [] {});
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr(absl::StrCat("http_answer_bytes: got ", 2 * kEvent, " of ", Own())));
  EXPECT_TRUE(streams_[1]->Send("data: small\n\n", [] {}).ok());
  EXPECT_FALSE(is_sent);
  for (size_t read = 0; read < kEvent;) {
    const size_t some = readers[0]->ReadSome().size();
    ASSERT_GT(some, 0u);
    read += some;
  }
  EXPECT_TRUE(Await([&] { return is_sent.load(); }));
  EXPECT_EQ(used(), 0u);

  ASSERT_TRUE(streams_[1]->Send(std::string(kEvent, 'y'), [] {}).ok());
  EXPECT_EQ(used(), kEvent);
  readers.clear();
  EXPECT_TRUE(Await([&] { return used() == 0; }));
}

}  // namespace
}  // namespace priorityd::http
