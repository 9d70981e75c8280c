#include "server/http/host_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace priorityd::http {
namespace {

using ::testing::HasSubstr;

TEST(HostNamesTest, OnlyWhatNamesThisHostIsKnown) {
  char own[256] = "";
  ASSERT_EQ(gethostname(own, sizeof(own) - 1), 0);
  const HostNames names({"Queue.example.org"});
  for (const std::string& host :
       {std::string(), std::string("localhost"), std::string("LOCALHOST:7412"),
        std::string("127.0.0.1"), std::string("127.9.9.9:1"), std::string("[::1]"),
        std::string("[::1]:7412"), std::string(own), std::string(own) + ":80",
        std::string("queue.EXAMPLE.org:7412")}) {
    EXPECT_TRUE(names.Know(host)) << host;
  }
  // Documentation's addresses (RFC 5737, RFC 3849) are nobody's.
  for (const char* host : {"evil", "evil.example", "localhost.evil.example",
                           "127.0.0.1.evil.example", "192.0.2.1", "[2001:db8::1]:80", "2130706433",
                           "0x7f.1", "[::1", "::1", ":80", "queue.example.org.evil"}) {
    EXPECT_FALSE(names.Know(host)) << host;
  }
}

TEST(HostNamesTest, AGuardedPageRequiresTheNameOfThisHost) {
  const Page page = HostNames().Guard([](const Request&) { return Response{.body = "figures"}; });
  Request request;
  request.headers["host"] = "localhost:7412";
  EXPECT_EQ(page(request).body, "figures");
  request.headers["host"] = "rebound.evil.example";
  EXPECT_EQ(page(request).status, 403);
  EXPECT_THAT(page(request).body, HasSubstr("Host: got rebound.evil.example, want localhost"));
}

}  // namespace
}  // namespace priorityd::http
