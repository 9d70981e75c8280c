// GetStatus over gRPC: two replicas on one database, which one of them loses.
#include "server/api/status/service_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "server/transport/server.h"
#include "storage/schema/migration.h"
#include "tests/await.h"
#include "tests/server/service/test_service.h"
#include "tests/stepped_clock.h"
#include "tests/storage/postgres_server.h"

namespace priorityd::rpc {
namespace {

using ::testing::Contains;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

v1::GetStatusResponse StatusOf(TestService& service, const std::string& cluster = "",
                               grpc::StatusCode want = grpc::OK) {
  v1::GetStatusRequest request;
  request.set_cluster(cluster);
  v1::GetStatusResponse response;
  // One that waited for a frozen database would fail.
  const grpc::Status status = CallUnary(service, request, &response, absl::Minutes(1));
  EXPECT_EQ(status.error_code(), want) << status.error_message();
  return response;
}

std::vector<std::string> Reasons(const v1::GetStatusResponse& status) {
  std::vector<std::string> reasons;
  for (const v1::StatusWarning& warning : status.warnings()) reasons.push_back(warning.reason());
  return reasons;
}

std::unique_ptr<TestService> ServiceOn(const std::string& url) {
  TestService::Options options;
  options.database_url = url;
  options.heartbeat_period = absl::Milliseconds(200);
  return std::make_unique<TestService>(options);
}

class ServiceStatusTest : public testing::Test {
 protected:
  ServiceStatusTest() {
    storage::Database database({.url = url_});
    EXPECT_TRUE(storage::Migrate(database).ok());
  }

  storage::PostgresServer postgres_;
  const std::string url_ = postgres_.Url("postgres");
};

TEST_F(ServiceStatusTest, TwoReplicasReportEachOther) {
  const auto leader = ServiceOn(url_);
  auto follower = ServiceOn(url_);
  Import(*leader, SmallSite());
  v1::GetStatusResponse there;
  // A replica may be known before it is known to lead.
  ASSERT_TRUE(Await([&] {
    there = StatusOf(*follower);
    return there.replicas_size() == 2 && there.clusters_size() == 1 &&
           there.clusters(0).generation() == 1 &&
           absl::c_any_of(there.replicas(), [](const auto& replica) { return replica.leader(); });
  }));
  EXPECT_FALSE(there.leader());
  EXPECT_TRUE(StatusOf(*leader).leader());
  std::vector<std::string> addresses;
  for (const v1::ReplicaStatus& replica : there.replicas()) {
    addresses.push_back(replica.address());
    EXPECT_EQ(replica.leader(), replica.address() == leader->server().address());
    EXPECT_EQ(replica.answers(), replica.address() == there.address());
    EXPECT_EQ(replica.version(), there.version());
  }
  EXPECT_THAT(addresses,
              UnorderedElementsAre(leader->server().address(), follower->server().address()));
  EXPECT_THAT(there.database().server_version(), StartsWith("15."));
  EXPECT_EQ(there.database().schema_version(), storage::AllMigrations().back().version);
  EXPECT_TRUE(Await([&] {
    return Reasons(StatusOf(*follower)) == std::vector<std::string>{"NO_AUTHENTICATION"};
  }));
  follower.reset();
  EXPECT_TRUE(Await([&] { return StatusOf(*leader).replicas_size() == 1; }));
}

TEST_F(ServiceStatusTest, UptimeIsWhatPassedThoughTheHostsClockStepsBack) {
  const auto service = ServiceOn(url_);
  SteppedClock clock;
  clock.Step(-absl::Hours(1));
  const google::protobuf::Duration uptime = StatusOf(*service).uptime();
  EXPECT_GE(uptime.seconds(), 0);
  EXPECT_GT(uptime.seconds() + uptime.nanos(), 0);
}

TEST_F(ServiceStatusTest, TheKnownStateIsReportedWhileTheDatabaseIsFrozenOrKilled) {
  const auto leader = ServiceOn(url_);
  const auto follower = ServiceOn(url_);
  Import(*leader, SmallSite());
  ASSERT_TRUE(Await([&] {
    return StatusOf(*follower).clusters_size() == 1 &&
           StatusOf(*follower).clusters(0).generation() == 1;
  }));
  for (TestService* service : {leader.get(), follower.get()}) {
    EXPECT_TRUE(Await([&] {
      return !testing::Value(Reasons(StatusOf(*service)), Contains("DATABASE_UNREACHABLE"));
    }));
  }
  postgres_.Freeze();
  for (TestService* service : {leader.get(), follower.get()}) {
    EXPECT_TRUE(Await([&] {
      return !Reasons(StatusOf(*service)).empty() &&
             Reasons(StatusOf(*service))[0] == "DATABASE_UNREACHABLE";
    }));
    EXPECT_EQ(StatusOf(*service).clusters(0).generation(), 1);
    EXPECT_EQ(StatusOf(*service).clusters(0).associations(), 6);
  }
  postgres_.Thaw();
  for (TestService* service : {leader.get(), follower.get()}) {
    EXPECT_TRUE(Await([&] {
      return !testing::Value(Reasons(StatusOf(*service)), Contains("DATABASE_UNREACHABLE"));
    }));
  }
  postgres_.Kill();
  EXPECT_TRUE(Await([&] {
    return testing::Value(Reasons(StatusOf(*leader)), Contains("DATABASE_UNREACHABLE"));
  }));
  EXPECT_FALSE(StatusOf(*leader).database().last_error().empty());
  postgres_.Start();
  EXPECT_TRUE(Await([&] {
    return !testing::Value(Reasons(StatusOf(*leader)), Contains("DATABASE_UNREACHABLE"));
  }));
  EXPECT_GT(StatusOf(*leader).database().incarnation(), 1);
}

TEST_F(ServiceStatusTest, ReportsQueuesRatesAndMemory) {
  const auto service = ServiceOn(url_);
  EXPECT_THAT(Reasons(StatusOf(*service)), Contains("NO_CLUSTER"));
  Import(*service, SmallSite("PurgeJobAfter=12months\n"));
  service->UpdateHealth();
  v1::UpdateJobsRequest update;
  for (int i = 0; i < 5; ++i) {
    v1::Job* job = update.add_upserts();
    job->set_job_id(std::to_string(i));
    job->set_user("amy");
    if (i == 0) job->set_admin_priority(0);
  }
  update.mutable_upserts(4)->set_state(v1::JOB_STATE_RUNNING);
  *update.mutable_upserts(4)->mutable_start_time() = ToTimestamp(TestEpoch() - absl::Hours(1));
  UpdateJobs(*service, update);
  v1::RecordUsageRequest usage;
  *usage.add_records() = Usage("r", TestEpoch() - absl::Hours(1), absl::Minutes(1), 1);
  *usage.add_records() = Usage("r", TestEpoch() - absl::Hours(1), absl::Minutes(1), 1);
  RecordUsage(*service, usage);
  service->UpdateHealth();
  const v1::GetStatusResponse status = StatusOf(*service, "c");
  ASSERT_EQ(status.clusters_size(), 1);
  EXPECT_EQ(status.clusters(0).cluster(), "c");
  EXPECT_EQ(status.clusters(0).eligible_jobs(), 3);
  EXPECT_EQ(status.clusters(0).ineligible_jobs(), 1);
  EXPECT_EQ(status.clusters(0).running_jobs(), 1);
  EXPECT_EQ(status.clusters(0).period().seconds(), 300);
  EXPECT_GT(status.ingest().accepted_per_second(), 0);
  EXPECT_EQ(status.ingest().duplicates_per_second(), status.ingest().accepted_per_second());
  EXPECT_EQ(status.ingest().rejected_per_second(), 0);
  EXPECT_EQ(status.ingest().waiting_records(), 0);
  EXPECT_GT(status.calls().calls_per_second(), 0);
  EXPECT_DOUBLE_EQ(status.calls().updates_per_second(), 5 * status.ingest().accepted_per_second());
  EXPECT_GT(status.memory().resident_bytes(), 1 << 20);
  EXPECT_GT(status.memory().budget_bytes(), status.memory().request_bytes());
  StatusOf(*service, "x", grpc::NOT_FOUND);
}

TEST_F(ServiceStatusTest, AClusterThatIsOverdueIsReported) {
  const auto service = ServiceOn(url_);
  Import(*service, SmallSite());
  service->SetNow(TestEpoch() + absl::Minutes(4));
  EXPECT_EQ(StatusOf(*service).clusters(0).age().seconds(), 240);
  EXPECT_EQ(StatusOf(*service).clusters(0).late_by().seconds(), 0);
  postgres_.Freeze();
  service->SetNow(TestEpoch() + absl::Minutes(11));
  EXPECT_EQ(StatusOf(*service).clusters(0).late_by().seconds(), 360);
  EXPECT_THAT(Reasons(StatusOf(*service)), Contains("RECALCULATION_LATE"));
  postgres_.Thaw();
  EXPECT_TRUE(Await([&] {
    return !testing::Value(Reasons(StatusOf(*service)), Contains("RECALCULATION_LATE"));
  }));
}

}  // namespace
}  // namespace priorityd::rpc
