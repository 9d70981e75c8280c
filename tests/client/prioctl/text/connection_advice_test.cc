#include "client/prioctl/text/connection_advice.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::prioctl {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// What gRPC 1.51 says.
constexpr char kRefused[] =
    "failed to connect to all addresses; last error: UNKNOWN: ipv4:127.0.0.1:7411: Failed to "
    "connect to remote host: Connection refused";
constexpr char kNoHost[] =
    "DNS resolution failed for nohost:7411: C-ares status is not ARES_SUCCESS qtype=A name=nohost "
    "is_balancer=0: Domain name not found";
constexpr char kHttp[] =
    "failed to connect to all addresses; last error: UNAVAILABLE: ipv4:127.0.0.1:7412: Trying to "
    "connect an http1.x server";

TEST(ConnectionAdviceTest, OnThisHostAServerThatDoesNotListenIsStarted) {
  EXPECT_THAT(ConnectionAdvice(kRefused, "127.0.0.1:7411,127.0.0.1:7421"),
              StartsWith("(Connection refused); start it with `priorityd --listen=127.0.0.1:7411 "
                         "--data_dir=DIR`, or name another"));
}

TEST(ConnectionAdviceTest, AUserOfAnotherHostsServiceIsReferredToItsAdministrators) {
  EXPECT_THAT(ConnectionAdvice(kRefused, "head.example:7411"),
              AllOf(HasSubstr("ask those who run it"), Not(HasSubstr("--data_dir"))));
}

TEST(ConnectionAdviceTest, AMistypedHostIsNamedAsSuch) {
  EXPECT_THAT(ConnectionAdvice(kNoHost, "nohost:7411"),
              AllOf(StartsWith("(there is no host of that name); check its spelling"),
                    Not(HasSubstr("ARES"))));
}

TEST(ConnectionAdviceTest, AnAddressWithASchemeOrWithoutAPortIsCorrected) {
  EXPECT_EQ(ConnectionAdvice(kNoHost, "http://head:7411"),
            "(there is no host of that name); write --server as HOST:PORT, head:7411");
  for (const std::string address : {"head", "127.0.0.1", "[::1]"}) {
    EXPECT_EQ(ConnectionAdvice(kRefused, address),
              "(Connection refused); add the port, as in " + address + ":7411");
  }
  EXPECT_THAT(ConnectionAdvice(kRefused, "[::1]:7411"), HasSubstr("--data_dir"));
}

TEST(ConnectionAdviceTest, ThePortOfHttpIsNotThatOfGrpc) {
  EXPECT_THAT(ConnectionAdvice(kHttp, "127.0.0.1:7412"),
              StartsWith("(that port speaks HTTP, not gRPC); name the port of --listen"));
}

TEST(ConnectionAdviceTest, AProxyWithoutAServerIsNotStartedAgain) {
  for (const char* text :
       {"HAProxy: no priorityd behind it is ready", "Received http2 header with status: 503"}) {
    EXPECT_THAT(ConnectionAdvice(text, "127.0.0.1:7411"),
                AllOf(StartsWith("(HAProxy answers, and no priorityd behind it is ready); see"),
                      Not(HasSubstr("--data_dir"))));
  }
}

TEST(ConnectionAdviceTest, ASocketThatMayNotBeOpenedNeedsItsGroup) {
  EXPECT_THAT(ConnectionAdvice("unix:/run/p.sock: Permission denied", "unix:/run/p.sock"),
              HasSubstr("--socket_group"));
  EXPECT_THAT(ConnectionAdvice("unix:/run/p.sock: No such file or directory", "unix:/run/p.sock"),
              StartsWith("(there is no such socket); start it with"));
}

TEST(ConnectionAdviceTest, WhatIsNotKnownIsPassedOn) {
  EXPECT_THAT(ConnectionAdvice("Socket closed", "127.0.0.1:7411"), StartsWith("(Socket closed); "));
}

TEST(ConnectionAdviceTest, TheCauseIsThatOfTheAdvice) {
  EXPECT_EQ(ConnectionCause(kRefused), "Connection refused");
  EXPECT_EQ(ConnectionCause(kNoHost), "there is no host of that name");
  EXPECT_EQ(ConnectionCause("Socket closed"), "Socket closed");
}

}  // namespace
}  // namespace priorityd::prioctl
