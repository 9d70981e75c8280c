// Requests and responses have bounds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "tests/await.h"
#include "tests/server/http/served_paths.h"

namespace priorityd::http {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST_F(ServerTest, ABodyComesWholeOrInChunksAndTwoRequestsComeOnOneConnection) {
  Start();
  EXPECT_THAT(
      Exchange("POST /echo/a?b=c HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi"
               "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nConnection: close"
               "\r\n\r\n2\r\nyo\r\n1\r\n!\r\n0\r\n\r\n"),
      testing::AllOf(HasSubstr("POST /echo/a b=c hi"), HasSubstr("POST /echo  yo!")));
}

TEST_F(ServerTest, AnExpectContinueGetsAContinue) {
  Start();
  EXPECT_THAT(
      Exchange("POST /echo HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nConnection: close\r\n"
               "Content-Length: 2\r\n\r\nhi"),
      testing::AllOf(StartsWith("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200"), HasSubstr("hi")));
}

TEST_F(ServerTest, ABodyBeyondTheBoundIsRefusedWhetherItsLengthIsSaidOrNot) {
  Start({.max_body_bytes = 10});
  EXPECT_THAT(Exchange("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\n\r\n"),
              StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(Exchange("POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n"
                       "12345678901\r\n0\r\n\r\n"),
              StartsWith("HTTP/1.1 413"));
}

TEST_F(ServerTest, BodiesTogetherHaveABoundAndGiveTheirPlaceBack) {
  Start(Undivided({.max_body_bytes = 10, .all_body_bytes = 10, .body_time = absl::Seconds(60)}));
  auto slow = std::make_unique<RawConnection>(server_->address());
  slow->Send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n123456789");
  const std::string small =
      "POST /echo HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi";
  EXPECT_TRUE(Await([&] { return absl::StartsWith(Exchange(small), "HTTP/1.1 503"); }));
  slow.reset();
  EXPECT_TRUE(Await([&] { return absl::StartsWith(Exchange(small), "HTTP/1.1 200"); }));
}

TEST_F(ServerTest, WhoOnlySaysThatABodyComesTakesNoPlaceOfOthers) {
  Start(Undivided({.max_body_bytes = 10, .all_body_bytes = 10, .body_time = absl::Seconds(60)}));
  RawConnection silent(server_->address());
  silent.Send(
      "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_TRUE(Await([&] { return absl::StrContains(silent.ReadSome(), "100 Continue"); }));
  EXPECT_THAT(
      Exchange("POST /echo HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 10\r\n\r\n"
               "1234567890"),
      StartsWith("HTTP/1.1 200"));
}

TEST_F(ServerTest, ABodyIsReadNoFurtherUntilItsSenderIsProved) {
  Start({.small_body_bytes = 4});
  const std::string head = "POST /echo HTTP/1.1\r\nHost: h\r\nConnection: close\r\n";
  const std::string chunks = "Transfer-Encoding: chunked\r\n\r\n3\r\n123\r\n3\r\n456\r\n0\r\n\r\n";
  for (const std::string& body : {std::string("Content-Length: 6\r\n\r\n123456"), chunks}) {
    EXPECT_THAT(Exchange(head + body), HasSubstr("123456"));
    EXPECT_THAT(Exchange(head + "Stranger: yes\r\n" + body), StartsWith("HTTP/1.1 401")) << body;
  }
  EXPECT_THAT(Exchange(head + "Stranger: yes\r\nContent-Length: 4\r\n\r\n1234"),
              StartsWith("HTTP/1.1 200"));
}

TEST_F(ServerTest, WhoProvesNothingIsRefusedBeforeTheBodyComes) {
  Start({.body_time = absl::Seconds(60)});
  EXPECT_THAT(
      Exchange(
          "POST /echo HTTP/1.1\r\nHost: h\r\nStranger: yes\r\nContent-Length: 60000000\r\n\r\n"),
      testing::AllOf(StartsWith("HTTP/1.1 401"), HasSubstr("who are you")));
}

TEST_F(ServerTest, BodiesAndAnswersAreTakenOfMemoryThatIsShared) {
  std::atomic<size_t> left{30};
  Start({.memory = {[&](size_t some) {
                      if (some > left) return false;
                      left -= some;
                      return true;
                    },
                    [&](size_t some) { left += some; }}});
  const std::string head = "POST /echo HTTP/1.1\r\nHost: h\r\nConnection: close\r\n";
  EXPECT_THAT(Exchange(head + "Content-Length: 2\r\n\r\nhi"), StartsWith("HTTP/1.1 200"));
  EXPECT_TRUE(Await([&] { return left == 30; }));
  EXPECT_THAT(Exchange(head + "Content-Length: 31\r\n\r\n" + std::string(31, 'x')),
              StartsWith("HTTP/1.1 503"));
  server_.reset();
}

TEST_F(ServerTest, PagesThatNobodyReadsHaveABoundTogether) {
  Start(Undivided({.all_page_bytes = 30 << 20, .write_time = absl::Seconds(60)}));
  auto slow = std::make_unique<RawConnection>(server_->address());
  slow->Send("GET /large HTTP/1.1\r\nHost: h\r\n\r\n");
  const auto large = [&] { return Get("/large"); };
  ASSERT_THAT(slow->ReadSome(), StartsWith("HTTP/1.1 200"));
  const auto refused = large();
  EXPECT_EQ(refused->status, 503);
  EXPECT_EQ(refused->get_header_value("Retry-After"), "1");
  EXPECT_EQ(Get("/page")->status, 200) << "there is room for small ones";
  slow.reset();
  EXPECT_TRUE(Await([&] { return large()->status == 200; }));
}

TEST_F(ServerTest, WhatAChunkSaysOfItselfHasABound) {
  Start({.body_time = absl::Seconds(60)});
  RawConnection chatty(server_->address());
  chatty.Send("POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1;" +
              std::string(1 << 20, 'a'));
  EXPECT_EQ(chatty.ReadAll(), "");
}

}  // namespace
}  // namespace priorityd::http
