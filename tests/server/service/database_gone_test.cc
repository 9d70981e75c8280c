// What still works, and what is said, when the database is gone.
#include <gtest/gtest.h>

#include <memory>

#include "storage/embedded_postgres/embedded_postgres.h"
#include "storage/schema/migration.h"
#include "tests/server/service/test_service.h"
#include "tests/storage/test_database.h"

namespace priorityd::rpc {
namespace {

v1::Policy GetPolicy(TestService& service) {
  v1::Policy policy;
  const grpc::Status status = CallUnary(service, v1::GetPolicyRequest(), &policy);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return policy;
}

TEST(DatabaseGoneTest, ReadsContinueAndWritesAreUnavailable) {
  auto postgres = storage::EmbeddedPostgres::Start(
      {.data_dir = storage::NewTestDirectory() + "/data", .durable = false});
  ASSERT_TRUE(postgres.ok()) << postgres.status();
  {
    storage::Database database({.url = (*postgres)->Url()});
    ASSERT_TRUE(storage::Migrate(database).ok());
  }
  TestService service({.database_url = (*postgres)->Url(), .limits = {}});
  Import(service, SmallSite());
  v1::UpdateJobsRequest update;
  update.add_upserts()->set_job_id("1");
  update.mutable_upserts(0)->set_user("amy");
  UpdateJobs(service, update);
  const v1::Policy before = GetPolicy(service);
  postgres->reset();

  v1::RankJobsRequest jobs;
  jobs.mutable_jobs();
  EXPECT_EQ(RankJobs(service, jobs).snapshot().generation(), 1);
  EXPECT_EQ(ListShares(service).shares_size(), 6);
  v1::RankJobsRequest tracked;
  tracked.mutable_tracked();
  EXPECT_EQ(RankJobs(service, tracked).ranked_size(), 1);
  EXPECT_EQ(ListJobs(service).jobs_size(), 1);
  // The policy in force is returned, also to sprio; the times of the versions are not.
  const v1::Policy policy = GetPolicy(service);
  EXPECT_EQ(policy.version(), 1);
  EXPECT_EQ(policy.parameters().all_size(), before.parameters().all_size());
  EXPECT_EQ(policy.parameters().SerializeAsString(), before.parameters().SerializeAsString());
  EXPECT_FALSE(policy.has_applied_at());

  v1::RecordUsageRequest usage;
  *usage.add_records() = Usage("r", TestEpoch() - absl::Hours(1), absl::Minutes(1), 1);
  grpc::Status status;
  RecordUsage(service, usage, &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(DetailsOf(status).has_retry_info);
  EXPECT_EQ(DetailsOf(status).reason, "UNAVAILABLE");
  EXPECT_EQ(status.error_message().find("socket"), std::string::npos) << status.error_message();
  update.mutable_upserts(0)->set_nice(1);
  UpdateJobs(service, update, &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(DetailsOf(status).has_retry_info);
  Recalculate(service, {}, &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(ListShares(service).snapshot().generation(), 1);
}

}  // namespace
}  // namespace priorityd::rpc
