// PriorityClient::Serving against gRPC's own health service.
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "client/priority_client.h"
#include "priority/v1/priority_service.grpc.pb.h"

namespace priorityd::client {
namespace {

class HealthTest : public testing::Test {
 protected:
  HealthTest() {
    grpc::EnableDefaultHealthCheckService(true);
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    grpc::EnableDefaultHealthCheckService(false);
  }

  PriorityClient Connect(const std::string& before = "") const {
    return PriorityClient(
        {.address = before + "127.0.0.1:" + std::to_string(port_), .deadline = absl::Seconds(20)});
  }
  grpc::HealthCheckServiceInterface& Health() { return *server_->GetHealthCheckService(); }

  int port_ = 0;
  v1::PriorityService::Service service_;
  std::unique_ptr<grpc::Server> server_;
};

TEST_F(HealthTest, AServiceIsServingAsItSays) {
  const PriorityClient client = Connect();
  EXPECT_TRUE(client.Serving().value());
  Health().SetServingStatus("priorityd.recording", false);
  EXPECT_FALSE(client.Serving("priorityd.recording").value());
  Health().SetServingStatus("priorityd.recording", true);
  EXPECT_TRUE(client.Serving("priorityd.recording").value());
}

TEST_F(HealthTest, AServiceThatIsNotKnownIsNotFound) {
  EXPECT_EQ(Connect().Serving("nobody").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(HealthTest, TheServerThatAnswersIsAsked) {
  EXPECT_TRUE(Connect("127.0.0.1:1,").Serving().value());
}

TEST(HealthOfNobodyTest, AServerThatIsAwayIsUnavailable) {
  const PriorityClient client({.address = "127.0.0.1:1", .deadline = absl::Seconds(20)});
  EXPECT_EQ(client.Serving().status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace priorityd::client
