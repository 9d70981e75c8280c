// A client that pings without an end is shown out, and nobody else notices.
#include <gtest/gtest.h>

#include "absl/strings/numbers.h"
#include "absl/time/clock.h"
#include "server/transport/server.h"
#include "tests/raw_http2.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

constexpr int kFlooders = 20;
constexpr int kPings = 10'000;
constexpr absl::Duration kPatience = absl::Minutes(1);

int PortOf(const std::string& address) {
  int port = 0;
  EXPECT_TRUE(absl::SimpleAtoi(address.substr(address.rfind(':') + 1), &port));
  return port;
}

// Pings until the server ends the connection, or for long.
void Flood(RawHttp2& client) {
  for (int i = 0; i < kPings && client.Ping() && client.Serve(true); ++i) {
  }
  for (const absl::Time until = absl::Now() + kPatience;
       client.Serve(true) && absl::Now() < until;) {
    absl::SleepFor(absl::Milliseconds(1));
  }
}

TEST(PingFloodTest, AClientThatFloodsWithPingsGetsGoawayAndDisturbsNoOther) {
  TestService service;
  v1::ImportRequest site;
  v1::File* dump = site.add_files();
  dump->set_name("dump");
  dump->set_kind(v1::FILE_KIND_SACCTMGR_DUMP);
  dump->set_content("Cluster - 'c':Fairshare=1\nParent - 'root'\n");
  v1::ImportResponse imported;
  ASSERT_TRUE(CallUnary(service, site, &imported).ok());
  const int port = PortOf(service.server().address());
  for (int i = 0; i < kFlooders; ++i) {
    RawHttp2 flooder(port);
    Flood(flooder);
    ASSERT_TRUE(flooder.goodbye().has_value());
    EXPECT_EQ(*flooder.goodbye(), RawHttp2::kEnhanceYourCalm);
    EXPECT_FALSE(flooder.Serve(true)) << "it is still connected";
    // On the connection that was there before.
    v1::RankJobsRequest request;
    request.mutable_jobs()->add_jobs()->set_job_id("1");
    v1::RankJobsResponse response;
    const grpc::Status status = CallUnary(service, request, &response, kPatience);
    EXPECT_TRUE(status.ok()) << status.error_message();
  }
}

}  // namespace
}  // namespace priorityd::rpc
