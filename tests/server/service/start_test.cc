// The order in which a replica starts.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <pqxx/pqxx>
#include <string>

#include "priority/v1/admin_service.grpc.pb.h"
#include "server/replica.h"
#include "server/threads/clock.h"
#include "tests/server/service/health.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;

ReplicaOptions OptionsOf(const std::string& database_url, const std::string& listen) {
  ReplicaOptions options;
  options.database_url = database_url;
  options.server.listen = {listen};
  options.clocks.real = threads::RunningTime;
  return options;
}

// Whether a replica has ever led on this database.
bool HasBeenLed(const std::string& database_url) {
  pqxx::connection connection(database_url);
  pqxx::work work(connection);
  return work.exec1("SELECT EXISTS (SELECT FROM priorityd.leader_lease WHERE epoch > 0)")[0]
      .as<bool>();
}

grpc::StatusCode GetStatus(const std::shared_ptr<grpc::Channel>& channel) {
  grpc::ClientContext context;
  v1::GetStatusResponse status;
  return v1::AdminService::NewStub(channel)->GetStatus(&context, {}, &status).error_code();
}

TEST(StartTest, BindsItsAddressBeforeItTakesTheLead) {
  const std::string database_url = storage::NewTestDatabase();
  Replica replica(OptionsOf(database_url, "127.0.0.1:0"));
  ASSERT_TRUE(replica.Listen().ok());
  const auto channel =
      grpc::CreateChannel(replica.server().address(), grpc::InsecureChannelCredentials());
  EXPECT_EQ(GetStatus(channel), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(CheckHealth(channel, ""), kNotServing);
  EXPECT_FALSE(HasBeenLed(database_url));

  ASSERT_TRUE(replica.Open().ok());
  EXPECT_TRUE(HasBeenLed(database_url));
  EXPECT_EQ(GetStatus(channel), grpc::StatusCode::OK);
  EXPECT_EQ(CheckHealth(channel, ""), kServing);
}

TEST(StartTest, AReplicaWhoseAddressIsTakenDoesNotTakeTheLead) {
  Replica first(OptionsOf(storage::NewTestDatabase(), "127.0.0.1:0"));
  ASSERT_TRUE(first.Listen().ok());
  const std::string database_url = storage::NewTestDatabase();
  Replica second(OptionsOf(database_url, first.server().address()));
  EXPECT_EQ(second.Listen().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_FALSE(HasBeenLed(database_url));
}

}  // namespace
}  // namespace priorityd
