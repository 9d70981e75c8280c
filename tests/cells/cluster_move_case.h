// A cluster that moves between two services, and one that had the same calls and stayed.
#ifndef PRIORITYD_TESTS_CELLS_CLUSTER_MOVE_CASE_H_
#define PRIORITYD_TESTS_CELLS_CLUSTER_MOVE_CASE_H_

#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/prioctl/site/cluster_move.h"
#include "client/priority_client.h"
#include "client/rpc_error.h"
#include "server/transport/server.h"
#include "storage/database/database.h"
#include "tests/await.h"
#include "tests/server/service/administered_site.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {

inline constexpr char kPolicyOfMoves[] =
    "PriorityDecayHalfLife=1-0\nPriorityWeightFairshare=1000\nPriorityWeightAge=100\n"
    "AccountingStorageTRES=gres/gpu\nPriorityUsageResetPeriod=NONE\n";

inline std::unique_ptr<client::PriorityClient> ClientOf(TestService& service) {
  client::ConnectOptions options;
  options.address = service.server().addresses().front();
  options.retry.max_attempts = 1;
  return std::make_unique<client::PriorityClient>(options);
}

inline v1::UsageRecord GpuUsage(const std::string& id, absl::Duration before, double gpus) {
  v1::UsageRecord record = Usage(id, TestEpoch() - before, absl::Hours(1), 3);
  (*record.mutable_tres())["gres/gpu"] = gpus;
  (*record.mutable_tres())["gres/fpga"] = 2 * gpus;
  return record;
}

inline void Record(TestService& service, const std::vector<v1::UsageRecord>& records,
                   grpc::Status* status = nullptr, v1::RecordUsageResponse* response = nullptr) {
  v1::RecordUsageRequest request;
  request.set_cluster("c");
  for (const v1::UsageRecord& record : records) *request.add_records() = record;
  v1::RecordUsageResponse answer = RecordUsage(service, request, status);
  if (response != nullptr) *response = answer;
}

inline void Track(TestService& service, const std::vector<std::string>& jobs,
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

inline v1::ListSharesResponse Shares(TestService& service) {
  v1::ListSharesRequest request;
  request.set_cluster("c");
  return ListShares(service, request);
}

// Without the etag, which names the cluster by its number in the database.
inline v1::ListGrantsResponse Grants(TestService& service) {
  v1::ListGrantsRequest request;
  request.set_cluster("c");
  auto grants = AnswerTo<v1::ListGrantsResponse>(service, request);
  grants.clear_etag();
  return grants;
}

inline v1::RankJobsResponse Ranking(TestService& service) {
  v1::RankJobsRequest request;
  request.set_cluster("c");
  request.mutable_tracked();
  return RankJobs(service, request);
}

inline v1::Snapshot RecalculateAt(TestService& service, absl::Time now) {
  service.SetNow(now);
  v1::RecalculateRequest request;
  request.set_cluster("c");
  return Recalculate(service, request);
}

// What a cluster has before it moves.
inline void Fill(TestService& service) {
  v1::ImportRequest site = SmallSite(kPolicyOfMoves);
  Import(service, site);
  RecalculateAt(service, TestEpoch());
  Record(service, {GpuUsage("r1", absl::Hours(30), 1), GpuUsage("r2", absl::Hours(7), 2)});
  // A user below an account that is younger: its parent has a later number.
  v1::CreateAssociationsRequest account;
  account.set_cluster("c");
  auto* added = account.add_associations();
  added->set_account("late");
  added->set_parent_account("root");
  v1::ChangeResponse changed;
  grpc::Status status = CallUnary(service, account, &changed);
  EXPECT_TRUE(status.ok()) << status.error_message();
  v1::UpdateAssociationsRequest move;
  move.set_cluster("c");
  move.mutable_where()->add_accounts("b");
  move.mutable_where()->add_users("");
  v1::Setting* parent = move.add_settings();
  parent->set_name("Parent");
  parent->set_value("late");
  status = CallUnary(service, move, &changed);
  EXPECT_TRUE(status.ok()) << status.error_message();
  v1::UpdateGrantsRequest grant;
  grant.set_cluster("c");
  grant.add_names("call");
  grant.set_allow_missing(true);
  AddSettings({"Accounts=a", "TRES=cpu", "Amount=1000h", "Window=month", "Begin=2025-01-01"},
              &grant);
  AnswerTo<v1::ChangeResponse>(service, grant);
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
    EXPECT_EQ(Different(Grants(target_), Grants(control_)), "");
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
    EXPECT_EQ(Different(Grants(target_), Grants(control_)), "");
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

}  // namespace priorityd::rpc

#endif  // PRIORITYD_TESTS_CELLS_CLUSTER_MOVE_CASE_H_
