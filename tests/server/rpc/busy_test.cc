// More calls than the service has threads and room for.
#include <gtest/gtest.h>

#include <latch>

#include "tests/server/rpc/test_service.h"

namespace priorityd::rpc {
namespace {

grpc::Status UpdateCluster(TestService& service) {
  grpc::ClientContext context;
  v1::UpdateClusterRequest request;
  request.mutable_cluster()->set_name("c");
  request.set_allow_missing(true);
  v1::Cluster cluster;
  return service.admin().UpdateCluster(&context, request, &cluster);
}

TEST(BusyTest, ACallTooManyIsToldToComeBackAtOnce) {
  TestService service({.max_queued_calls = 1});
  std::latch begun(kOperatingThreads), go_on(1);
  for (int i = 0; i < kOperatingThreads; ++i) {
    service.operating().Schedule([&] {
      begun.count_down();
      go_on.wait();
    });
  }
  begun.wait();
  std::latch waited(1);
  service.operating().Schedule([&] { waited.count_down(); });
  const grpc::Status status = UpdateCluster(service);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(DetailsOf(status).reason, "SERVER_BUSY");
  EXPECT_TRUE(DetailsOf(status).has_retry_info);
  go_on.count_down();
  waited.wait();
  EXPECT_TRUE(UpdateCluster(service).ok());
}

}  // namespace
}  // namespace priorityd::rpc
