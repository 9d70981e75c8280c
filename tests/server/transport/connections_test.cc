#include "server/transport/connections.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/transport/server.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

// Whether there are so many within a minute.
bool AwaitConnections(size_t count) {
  const absl::Time deadline = absl::Now() + absl::Minutes(1);
  while (CountConnections() != count && absl::Now() < deadline) std::this_thread::yield();
  return CountConnections() == count;
}

TEST(ConnectionsTest, EachClientIsCountedUntilItGoes) {
  TestService service;
  const size_t before = CountConnections();
  std::vector<std::shared_ptr<grpc::Channel>> channels;
  for (int i = 0; i < 3; ++i) {
    grpc::ChannelArguments own;
    own.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    channels.push_back(grpc::CreateCustomChannel(service.server().address(),
                                                 grpc::InsecureChannelCredentials(), own));
    ASSERT_TRUE(
        channels.back()->WaitForConnected(absl::ToChronoTime(absl::Now() + absl::Minutes(1))));
  }
  EXPECT_TRUE(AwaitConnections(before + 3)) << CountConnections();
  channels.clear();
  EXPECT_TRUE(AwaitConnections(before)) << CountConnections();
}

}  // namespace
}  // namespace priorityd::rpc
