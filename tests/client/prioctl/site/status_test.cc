// What prioctl prints of a service, and what it exits with.

#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "google/protobuf/util/message_differencer.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

v1::GetStatusResponse AllIsWell() {
  v1::GetStatusResponse status;
  status.set_version("1.2.3");
  status.set_build("g++ 12.2.0, optimized");
  status.set_address("10.0.0.1:7411");
  status.set_leader(true);
  status.mutable_started_at()->set_seconds(1795181231);
  status.mutable_started_at()->set_nanos(788923827);
  status.mutable_uptime()->set_seconds(3 * 3600 + 62);
  status.mutable_clock_ahead()->set_nanos(1'500'000);
  v1::DatabaseStatus* database = status.mutable_database();
  database->set_server_version("15.14");
  database->set_schema_version(22);
  database->set_incarnation(1);
  database->mutable_answered_before()->set_seconds(2);
  database->set_connections(30);
  database->set_connections_in_use(3);
  v1::ClusterStatus* cluster = status.add_clusters();
  cluster->set_cluster("orc");
  cluster->set_generation(77);
  cluster->mutable_age()->set_seconds(30);
  cluster->mutable_period()->set_seconds(300);
  cluster->mutable_late_by();
  cluster->set_associations(12345);
  cluster->set_queue_loaded(true);
  cluster->set_running_jobs(4321);
  v1::ReplicaStatus* replica = status.add_replicas();
  replica->set_address("10.0.0.1:7411");
  replica->set_name("priorityd host-a:1");
  replica->set_version("1.2.3");
  replica->set_leader(true);
  replica->set_answers(true);
  status.mutable_ingest()->set_accepted_per_second(12.5);
  status.mutable_memory()->set_resident_bytes(int64_t{312} << 20);
  return status;
}

class StatusTest : public PrioctlTest {
 protected:
  void Answer(const v1::GetStatusResponse& status) {
    fake_.get_status.Answer([status](const auto&, v1::GetStatusResponse* response) {
      *response = status;
      return grpc::Status::OK;
    });
  }
};

void AddWarning(const std::string& reason, bool needs_action, v1::GetStatusResponse* status) {
  v1::StatusWarning* warning = status->add_warnings();
  warning->set_reason(reason);
  warning->set_text("It is so. Do this.");
  warning->set_needs_action(needs_action);
}

TEST_F(StatusTest, TheFirstLineSaysOkAndOneScreenTheRest) {
  v1::GetStatusResponse status = AllIsWell();
  AddWarning("NO_AUTHENTICATION", false, &status);
  Answer(status);
  const Finished run = Run({"status"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_THAT(run.out, StartsWith("priorityd 1.2.3 at 10.0.0.1:7411: OK\n"
                                  "  NO_AUTHENTICATION: It is so. Do this.\n\n"
                                  "Process   up 3h1m2s since 2026-11-20T13:27:11, leads; clock "
                                  "1.5ms ahead of the database's; g++ 12.2.0, optimized\n"
                                  "Database  PostgreSQL 15.14, schema 22, answered 2s ago; "
                                  "3 of 30 connections in use, 0 calls wait;"));
  EXPECT_THAT(run.out, HasSubstr("\nIngest    12.5 records/s accepted"));
  EXPECT_THAT(run.out, HasSubstr("\nMemory    312 MiB;"));
  EXPECT_THAT(run.out, HasSubstr("\norc             77 30s     5m    0       12,345"));
  EXPECT_THAT(run.out, HasSubstr("\n10.0.0.1:7411 * 1.2.3   leads"));
  EXPECT_LE(std::count(run.out.begin(), run.out.end(), '\n'), 24);
}

TEST_F(StatusTest, StatesThatNeedActionAreReportedFirstAndByTheExitStatus) {
  v1::GetStatusResponse status = AllIsWell();
  AddWarning("DATABASE_UNREACHABLE", true, &status);
  AddWarning("NO_AUTHENTICATION", false, &status);
  Answer(status);
  const Finished run = Run({"status"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_EQ(run.err, "");
  EXPECT_THAT(run.out, StartsWith("priorityd 1.2.3 at 10.0.0.1:7411: 1 thing needs action\n"
                                  "! DATABASE_UNREACHABLE: It is so. Do this.\n"
                                  "  NO_AUTHENTICATION: It is so. Do this.\n"));
  EXPECT_EQ(Run({"status", "--json"}).exit_code, 3);
}

TEST_F(StatusTest, JsonIsTheWholeAnswer) {
  Answer(AllIsWell());
  const Finished run = Run({"--cluster", "orc", "status", "--json"});
  EXPECT_EQ(run.exit_code, 0);
  v1::GetStatusResponse printed;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(run.out, &printed).ok()) << run.out;
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(printed, AllIsWell()));
  EXPECT_EQ(fake_.get_status.requests()[0].cluster(), "orc");
}

TEST_F(StatusTest, WithoutAnAnswerItExitsAsEveryCommandDoes) {
  fake_.get_status.Answer([](const auto&, auto*) {
    return grpc::Status(grpc::PERMISSION_DENIED, "GetStatus: got amy, want one of operator");
  });
  const Finished run = Run({"status"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, IsOneLine());
}

}  // namespace
}  // namespace priorityd
