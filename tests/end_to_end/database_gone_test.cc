// What a server does while its database is away, and when it is back.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "priority/v1/admin_service.grpc.pb.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "storage/embedded_postgres/embedded_postgres.h"
#include "tests/await.h"
#include "tests/end_to_end/real_priorityd.h"
#include "tests/server/service/health.h"
#include "tests/temporary_folder.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;

constexpr int kServing = 1;
constexpr int kNotServing = 2;
constexpr char kService[] = "priority.v1.PriorityService";

class DatabaseGoneTest : public ::testing::Test {
 protected:
  DatabaseGoneTest() {
    StartDatabase();
    priorityd_ = std::make_unique<RealPriorityd>(
        std::vector<std::string>{"--listen=127.0.0.1:0", "--max_staleness=11",
                                 absl::StrCat("--database_url=", database_->Url())});
    if (!priorityd_->AwaitListening()) return;
    priority_ = v1::PriorityService::NewStub(priorityd_->Connect());
    admin_ = v1::AdminService::NewStub(priorityd_->Connect());
    ImportSite();
  }
  void StartDatabase() {
    database_ =
        storage::EmbeddedPostgres::Start({.data_dir = folder_.path() + "/d", .durable = false})
            .value();
  }
  void ImportSite() {
    v1::ImportRequest request;
    v1::File* dump = request.add_files();
    dump->set_name("dump");
    dump->set_kind(v1::FILE_KIND_SACCTMGR_DUMP);
    dump->set_content(
        "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - 'a':Fairshare=1\n"
        "Parent - 'a'\nUser - 'u':Fairshare=1\n");
    grpc::ClientContext context;
    v1::ImportResponse response;
    const grpc::Status status = admin_->Import(&context, request, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
  }
  v1::Snapshot SnapshotOfRanking() {
    v1::RankJobsRequest request;
    request.mutable_jobs();
    grpc::ClientContext context;
    v1::RankJobsResponse response;
    const grpc::Status status = priority_->RankJobs(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.snapshot();
  }
  grpc::StatusCode Record() {
    v1::RecordUsageRequest request;
    v1::UsageRecord* record = request.add_records();
    record->set_source("s");
    record->set_record_id("r");
    record->set_account("a");
    record->set_user("u");
    record->mutable_start_time()->set_seconds(1'700'000'000);
    record->mutable_end_time()->set_seconds(1'700'000'060);
    (*record->mutable_tres())["cpu"] = 1;
    grpc::ClientContext context;
    v1::RecordUsageResponse response;
    return priority_->RecordUsage(&context, request, &response).error_code();
  }
  int Health(const std::string& service) { return CheckHealth(priorityd_->Connect(), service); }
  int ConnectErrorsLogged() {
    const std::string log = priorityd_->Err();
    int lines = 0;
    for (size_t at = log.find("connect:"); at != std::string::npos;
         at = log.find("connect:", at + 1)) {
      ++lines;
    }
    return lines;
  }

  // Of a short path, so that the server's socket has the same one after every start.
  const TemporaryFolder folder_{"/tmp"};
  std::unique_ptr<storage::EmbeddedPostgres> database_;
  std::unique_ptr<RealPriorityd> priorityd_;
  std::unique_ptr<v1::PriorityService::Stub> priority_;
  std::unique_ptr<v1::AdminService::Stub> admin_;
};

TEST_F(DatabaseGoneTest, ReadsContinueHealthTurnsAndNothingNeedsARestart) {
  EXPECT_FALSE(SnapshotOfRanking().has_stale_for());
  EXPECT_EQ(Health(kService), kServing);

  database_.reset();
  EXPECT_EQ(Record(), grpc::StatusCode::UNAVAILABLE);
  ASSERT_TRUE(Await([&] { return Health(kService) == kNotServing; }));
  EXPECT_EQ(Health(""), kNotServing);
  const int errors = ConnectErrorsLogged();  // Before what they are compared with.
  const v1::Snapshot stale = SnapshotOfRanking();
  EXPECT_EQ(stale.generation(), 1);
  EXPECT_GE(stale.stale_for().seconds(), 11);
  EXPECT_LE(errors, 1 + stale.stale_for().seconds() / 20);

  StartDatabase();
  ASSERT_TRUE(Await([&] { return Health(kService) == kServing; }));
  EXPECT_FALSE(SnapshotOfRanking().has_stale_for());
  EXPECT_TRUE(Await([&] { return Record() == grpc::StatusCode::OK; }));
  EXPECT_TRUE(Await([&] {
    grpc::ClientContext context;
    v1::Snapshot snapshot;
    return admin_->Recalculate(&context, {}, &snapshot).ok() && snapshot.generation() >= 2;
  }));
}

}  // namespace
}  // namespace priorityd
