// A cluster that is moved is compared with one that had the same calls and stayed.
#include "client/prioctl/site/cluster_move.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/priority_client.h"
#include "client/rpc_error.h"
#include "server/transport/server.h"
#include "storage/cluster_deletion.h"
#include "storage/database.h"
#include "tests/await.h"
#include "tests/server/service/stubs.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

constexpr char kPolicy[] =
    "PriorityDecayHalfLife=1-0\nPriorityWeightFairshare=1000\nPriorityWeightAge=100\n"
    "AccountingStorageTRES=gres/gpu\nPriorityUsageResetPeriod=NONE\n";

std::unique_ptr<client::PriorityClient> ClientOf(TestService& service) {
  client::ConnectOptions options;
  options.address = service.server().addresses().front();
  options.retry.max_attempts = 1;
  return std::make_unique<client::PriorityClient>(options);
}

v1::UsageRecord GpuUsage(const std::string& id, absl::Duration before, double gpus) {
  v1::UsageRecord record = Usage(id, TestEpoch() - before, absl::Hours(1), 3);
  (*record.mutable_tres())["gres/gpu"] = gpus;
  (*record.mutable_tres())["gres/fpga"] = 2 * gpus;
  return record;
}

void Record(TestService& service, const std::vector<v1::UsageRecord>& records,
            grpc::Status* status = nullptr, v1::RecordUsageResponse* response = nullptr) {
  v1::RecordUsageRequest request;
  request.set_cluster("c");
  for (const v1::UsageRecord& record : records) *request.add_records() = record;
  v1::RecordUsageResponse answer = RecordUsage(service, request, status);
  if (response != nullptr) *response = answer;
}

void Track(TestService& service, const std::vector<std::string>& jobs,
           grpc::Status* status = nullptr) {
  v1::UpdateJobsRequest request;
  request.set_cluster("c");
  request.set_source("test");
  for (const std::string& id : jobs) {
    v1::Job* job = request.add_upserts();
    job->set_job_id(id);
    job->set_user(id.size() % 2 == 0 ? "ben" : "amy");
    job->set_account("a");
    job->set_cpus(static_cast<double>(id.size()));
  }
  UpdateJobs(service, request, status);
}

v1::ListSharesResponse Shares(TestService& service) {
  v1::ListSharesRequest request;
  request.set_cluster("c");
  return ListShares(service, request);
}

v1::RankJobsResponse Ranking(TestService& service) {
  v1::RankJobsRequest request;
  request.set_cluster("c");
  request.mutable_tracked();
  return RankJobs(service, request);
}

v1::Snapshot RecalculateAt(TestService& service, absl::Time now) {
  service.SetNow(now);
  v1::RecalculateRequest request;
  request.set_cluster("c");
  return Recalculate(service, request);
}

// What a cluster has before it moves.
void Fill(TestService& service) {
  v1::ImportRequest site = SmallSite(kPolicy);
  Import(service, site);
  RecalculateAt(service, TestEpoch());
  Record(service, {GpuUsage("r1", absl::Hours(30), 1), GpuUsage("r2", absl::Hours(7), 2)});
  // A user below an account that is younger: its parent has a later number.
  v1::CreateAssociationsRequest account;
  account.set_cluster("c");
  auto* added = account.add_associations();
  added->set_account("late");
  added->set_parent_account("root");
  grpc::ClientContext context, move_context;
  v1::ChangeResponse changed;
  grpc::Status status = AdminStub(service).CreateAssociations(&context, account, &changed);
  EXPECT_TRUE(status.ok()) << status.error_message();
  v1::UpdateAssociationsRequest move;
  move.set_cluster("c");
  move.mutable_where()->add_accounts("b");
  move.mutable_where()->add_users("");
  v1::Setting* parent = move.add_settings();
  parent->set_name("Parent");
  parent->set_value("late");
  status = AdminStub(service).UpdateAssociations(&move_context, move, &changed);
  EXPECT_TRUE(status.ok()) << status.error_message();
  RecalculateAt(service, TestEpoch() + absl::Minutes(5));
  v1::UsageRecord corrected = GpuUsage("r3", absl::Hours(7), 5);
  corrected.set_replaces_record_id("r2");
  Record(service, {GpuUsage("r4", absl::Hours(3), 4), corrected});
  RecalculateAt(service, TestEpoch() + absl::Minutes(10));
  Track(service, {"1", "22", "333", "4444"});
  // After the last recalculation: counts with the next one only.
  Record(service, {GpuUsage("r5", absl::Hours(1), 8)});
}

class ClusterMoveTest : public ::testing::Test {
 protected:
  ClusterMoveTest() {
    // Its TRES have other numbers than the source's, and its rows begin with other ones.
    v1::ImportRequest other = SmallSite("AccountingStorageTRES=gres/fpga,gres/nic\n");
    other.set_cluster("other");
    for (v1::File& file : *other.mutable_files()) {
      std::string* text = file.mutable_content();
      for (const std::string& name : {std::string("ClusterName=c"), std::string("Cluster - 'c'")}) {
        const size_t at = text->find(name);
        if (at != std::string::npos) text->replace(at + name.rfind('c'), 1, "other");
      }
    }
    Import(target_, other);
    v1::RecordUsageRequest request;
    request.set_cluster("other");
    *request.add_records() = GpuUsage("r1", absl::Hours(30), 1);
    RecordUsage(target_, request);
    Fill(source_);
    Fill(control_);
  }

  prioctl::ClusterMover Mover() {
    return {"c", "test", {"a", a_.get()}, {"b", b_.get()}, [this](const std::string& line) {
              report_ += line + "\n";
            }};
  }
  absl::StatusOr<v1::ClusterMove> Make(const client::PriorityClient& client, v1::MoveStep step) {
    v1::MoveClusterRequest request;
    request.set_cluster("c");
    request.set_step(step);
    request.set_move_id(move_.move_id());
    request.set_cell(&client == a_.get() ? "b" : "a");
    request.set_schema_version(move_.schema_version());
    request.set_last_audit_event(move_.last_audit_event());
    auto made = client.MoveCluster(request);
    if (made.ok() && &client == a_.get()) move_ = *made;
    return made;
  }
  // Copies what the switch needs. REQUIRES: the source is frozen.
  void CopyPages() {
    const auto there = Make(*b_, v1::MOVE_STEP_LOOK);
    ASSERT_TRUE(there.ok()) << there.status();
    for (v1::MovedTable table : there->tables()) {
      while (table.stage() != v1::MOVE_STAGE_HISTORY && !table.complete()) {
        v1::ReadClusterRowsRequest read;
        read.set_cluster("c");
        read.set_move_id(move_.move_id());
        read.set_table(table.name());
        *read.mutable_after() = table.after();
        const auto page = a_->ReadClusterRows(read);
        ASSERT_TRUE(page.ok()) << page.status();
        v1::WriteClusterRowsRequest write;
        write.set_cluster("c");
        write.set_move_id(move_.move_id());
        *write.mutable_after() = table.after();
        *write.mutable_rows() = *page;
        const auto written = b_->WriteClusterRows(write);
        ASSERT_TRUE(written.ok()) << written.status();
        table = *written;
      }
    }
  }
  static std::string Different(const google::protobuf::Message& got,
                               const google::protobuf::Message& want) {
    google::protobuf::util::MessageDifferencer differencer;
    // A move may recalculate the cluster once more, with the same result.
    differencer.IgnoreField(v1::Snapshot::descriptor()->FindFieldByName("generation"));
    std::string differences;
    differencer.ReportDifferencesToString(&differences);
    return differencer.Compare(got, want) ? "" : differences;
  }
  // The cluster at the target is as if it had never moved, now and after more usage.
  void ExpectSameAsUnmoved() {
    target_.SetNow(control_.now());
    EXPECT_EQ(Different(Shares(target_), Shares(control_)), "");
    EXPECT_EQ(Different(Ranking(target_), Ranking(control_)), "");
    for (TestService* service : {&target_, &control_}) {
      v1::RecordUsageResponse answer;
      Record(*service, {GpuUsage("r5", absl::Hours(1), 8), GpuUsage("r6", absl::Hours(2), 3)},
             nullptr, &answer);
      EXPECT_EQ(answer.duplicates(), 1);
      EXPECT_EQ(answer.accepted(), 1);
      Track(*service, {"55555"});
      RecalculateAt(*service, TestEpoch() + absl::Minutes(15));
    }
    EXPECT_EQ(Different(Shares(target_), Shares(control_)), "");
    EXPECT_EQ(Different(Ranking(target_), Ranking(control_)), "");
  }
  static void ExecuteAt(TestService& service, const std::string& sql) {
    const auto done = service.database().Write(
        [&](storage::Transaction& transaction) { return transaction.Execute(sql); });
    EXPECT_TRUE(done.ok()) << done.status();
  }
  std::string Code(const grpc::Status& status) { return DetailsOf(status).reason; }

  TestService source_, target_, control_;
  const std::unique_ptr<client::PriorityClient> a_ = ClientOf(source_), b_ = ClientOf(target_);
  v1::ClusterMove move_;
  std::string report_;
};

TEST_F(ClusterMoveTest, AMovedClusterIsAsIfItHadStayed) {
  const v1::ListSharesResponse before = Shares(source_);
  const absl::Status moved = Mover().Run();
  ASSERT_TRUE(moved.ok()) << moved << report_;
  EXPECT_EQ(Different(Shares(target_), before), "");
  ExpectSameAsUnmoved();
}

TEST_F(ClusterMoveTest, TheSourceNamesTheCellAndForgetsTheRows) {
  ASSERT_TRUE(Mover().Run().ok()) << report_;
  grpc::Status status;
  ASSERT_TRUE(Await([&] {
    v1::ListSharesRequest request;
    request.set_cluster("c");
    ListShares(source_, request, &status);
    return Code(status) == "CLUSTER_MOVED";
  }));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  Record(source_, {GpuUsage("r9", absl::Hours(1), 1)}, &status);
  EXPECT_EQ(Code(status), "CLUSTER_MOVED") << status.error_message();
  v1::UpdateClusterRequest again;
  again.mutable_cluster()->set_name("c");
  again.mutable_cluster()->set_nodes(1);
  again.set_allow_missing(true);
  grpc::ClientContext context;
  v1::Cluster cluster;
  status = AdminStub(source_).UpdateCluster(&context, again, &cluster);
  EXPECT_EQ(Code(status), "CLUSTER_MOVED") << status.error_message();
  const auto& metadata = context.GetServerInitialMetadata();
  const auto cell = metadata.find("priorityd-moved-to");
  ASSERT_NE(cell, metadata.end());
  EXPECT_EQ(std::string(cell->second.data(), cell->second.size()), "b");
  ASSERT_TRUE(Await([&] {
    const auto rows = source_.database().Write([](storage::Transaction& transaction) {
      return transaction.Execute("SELECT FROM priorityd.cluster");
    });
    return rows.ok() && *rows == 0;
  }));
}

TEST_F(ClusterMoveTest, AMoveIsContinuedFromEachOfItsSteps) {
  struct Step {
    const client::PriorityClient* at;
    v1::MoveStep step;
  };
  const std::vector<Step> steps = {{a_.get(), v1::MOVE_STEP_LEAVE},
                                   {b_.get(), v1::MOVE_STEP_ARRIVE},
                                   {a_.get(), v1::MOVE_STEP_FREEZE}};
  for (const Step& step : steps) {
    const auto made = Make(*step.at, step.step);
    ASSERT_TRUE(made.ok()) << made.status();
    // The same again changes nothing.
    ASSERT_TRUE(Make(*step.at, step.step).ok());
  }
  // A page that is written twice is there once.
  v1::ReadClusterRowsRequest read;
  read.set_cluster("c");
  read.set_move_id(move_.move_id());
  read.set_table("usage_record");
  const auto page = a_->ReadClusterRows(read);
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(page->rows_size(), 5);
  v1::WriteClusterRowsRequest write;
  write.set_cluster("c");
  write.set_move_id(move_.move_id());
  *write.mutable_rows() = *page;
  for (int i = 0; i < 2; ++i) {
    const auto written = b_->WriteClusterRows(write);
    ASSERT_TRUE(written.ok()) << written.status();
    EXPECT_EQ(written->rows(), 5);
  }
  // As every caller of a cluster, it gets at most 1,000 TRES.
  for (int i = 0; i < 1001; ++i) {
    (*write.mutable_rows()->mutable_tres())[2000 + i] = absl::StrCat("gres/g", i);
  }
  const auto refused = b_->WriteClusterRows(write);
  EXPECT_TRUE(absl::IsInvalidArgument(refused.status())) << refused.status();
  EXPECT_THAT(refused.status().message(), testing::HasSubstr("rows.tres"));
  const absl::Status moved = Mover().Run();
  ASSERT_TRUE(moved.ok()) << moved << report_;
  ExpectSameAsUnmoved();
}

TEST_F(ClusterMoveTest, AMoveIsContinuedFromItsDecision) {
  ASSERT_TRUE(Make(*a_, v1::MOVE_STEP_LEAVE).ok());
  ASSERT_TRUE(Make(*b_, v1::MOVE_STEP_ARRIVE).ok());
  ASSERT_TRUE(Make(*a_, v1::MOVE_STEP_FREEZE).ok());
  ASSERT_NO_FATAL_FAILURE(CopyPages());
  const auto active = Make(*b_, v1::MOVE_STEP_ACTIVATE);
  ASSERT_TRUE(active.ok()) << active.status();
  const absl::Status cancelled = Mover().Cancel();
  EXPECT_EQ(cancelled.code(), absl::StatusCode::kFailedPrecondition) << cancelled;
  const absl::Status moved = Mover().Run();
  ASSERT_TRUE(moved.ok()) << moved << report_;
  ExpectSameAsUnmoved();
}

TEST_F(ClusterMoveTest, MergedUsersDoNotComeToAReplicaThatKnowsNoMerges) {
  ExecuteAt(source_,
            "INSERT INTO priorityd.user_merge SELECT id, 'ben', 'amy', now(), '', '' "
            "FROM priorityd.cluster");
  ASSERT_TRUE(Make(*a_, v1::MOVE_STEP_LEAVE).ok());
  ASSERT_TRUE(Make(*b_, v1::MOVE_STEP_ARRIVE).ok());
  ASSERT_TRUE(Make(*a_, v1::MOVE_STEP_FREEZE).ok());
  ASSERT_NO_FATAL_FAILURE(CopyPages());
  // As a program of before merges reports itself.
  ExecuteAt(
      target_,
      "INSERT INTO priorityd.replica (name, address, version, started_at, leads, host_ahead, "
      "seen_at) VALUES ('old', '10.0.0.9:7411', '0.2.0', now(), false, 0, clock_timestamp())");
  const auto refused = Make(*b_, v1::MOVE_STEP_ACTIVATE);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kFailedPrecondition) << refused.status();
  EXPECT_THAT(refused.status().message(), testing::HasSubstr("\"10.0.0.9:7411\""));
  ExecuteAt(target_, "DELETE FROM priorityd.replica WHERE name = 'old'");
  const auto active = Make(*b_, v1::MOVE_STEP_ACTIVATE);
  EXPECT_TRUE(active.ok()) << active.status();
}

TEST_F(ClusterMoveTest, AFrozenClusterIsReadAndNotChangedUntilTheMoveIsCancelled) {
  ASSERT_TRUE(Make(*a_, v1::MOVE_STEP_LEAVE).ok());
  ASSERT_TRUE(Make(*b_, v1::MOVE_STEP_ARRIVE).ok());
  ASSERT_TRUE(Make(*a_, v1::MOVE_STEP_FREEZE).ok());
  grpc::Status status;
  Record(source_, {GpuUsage("r9", absl::Hours(1), 1)}, &status);
  EXPECT_EQ(Code(status), "CLUSTER_MOVING") << status.error_message();
  Track(source_, {"9"}, &status);
  EXPECT_EQ(Code(status), "CLUSTER_MOVING") << status.error_message();
  Import(source_, SmallSite("PriorityWeightAge=5\n"), &status);
  EXPECT_EQ(Code(status), "CLUSTER_MOVING") << status.error_message();
  v1::RecalculateRequest recalculate;
  recalculate.set_cluster("c");
  source_.SetNow(TestEpoch() + absl::Hours(1));
  Recalculate(source_, recalculate, &status);
  EXPECT_EQ(Code(status), "CLUSTER_MOVING") << status.error_message();
  EXPECT_EQ(Ranking(source_).ranked_size(), 4);
  // Not at the target yet, which names the source.
  v1::ListSharesRequest request;
  request.set_cluster("c");
  ListShares(target_, request, &status);
  EXPECT_NE(status.error_code(), grpc::StatusCode::OK);
  const absl::Status cancelled = Mover().Cancel();
  ASSERT_TRUE(cancelled.ok()) << cancelled;
  Record(source_, {GpuUsage("r9", absl::Hours(1), 1)}, &status);
  EXPECT_TRUE(status.ok()) << status.error_message();
  Track(source_, {"9"}, &status);
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(Ranking(source_).ranked_size(), 5);
  // A later move begins again.
  const absl::Status moved = Mover().Run();
  ASSERT_TRUE(moved.ok()) << moved << report_;
  EXPECT_EQ(Ranking(target_).ranked_size(), 5);
}

TEST_F(ClusterMoveTest, AnActiveClusterIsNotCancelled) {
  ASSERT_TRUE(Make(*a_, v1::MOVE_STEP_LEAVE).ok());
  ASSERT_TRUE(Make(*b_, v1::MOVE_STEP_ARRIVE).ok());
  // Without its rows it is not activated.
  const auto early = Make(*b_, v1::MOVE_STEP_ACTIVATE);
  EXPECT_EQ(client::Reason(early.status()), "MOVE_INCOMPLETE") << early.status();
  ASSERT_TRUE(Mover().Run().ok()) << report_;
  const absl::Status cancelled = Mover().Cancel();
  EXPECT_EQ(cancelled.code(), absl::StatusCode::kFailedPrecondition) << cancelled;
  ExpectSameAsUnmoved();
}

TEST_F(ClusterMoveTest, AClusterMovesBack) {
  ASSERT_TRUE(Mover().Run().ok()) << report_;
  prioctl::ClusterMover back("c", "", {"b", b_.get()}, {"a", a_.get()}, [](const std::string&) {});
  const absl::Status moved = back.Run();
  ASSERT_TRUE(moved.ok()) << moved;
  EXPECT_EQ(Different(Shares(source_), Shares(control_)), "");
  EXPECT_EQ(Different(Ranking(source_), Ranking(control_)), "");
  Record(source_, {GpuUsage("r6", absl::Hours(2), 3)});
}

TEST_F(ClusterMoveTest, AClusterThatExistsThereIsRefused) {
  const auto control = ClientOf(control_);
  prioctl::ClusterMover refused("c", "", {"a", a_.get()}, {"control", control.get()},
                                [](const std::string&) {});
  const absl::Status moved = refused.Run();
  EXPECT_EQ(moved.code(), absl::StatusCode::kAlreadyExists) << moved;
  // The source is as before.
  ASSERT_TRUE(refused.Cancel().ok());
  ASSERT_TRUE(Mover().Run().ok()) << report_;
}

}  // namespace
}  // namespace priorityd::rpc
