// A cluster that is moved is compared with one that had the same calls and stayed.
#include "client/prioctl/site/cluster_move.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "storage/configuration/cluster_deletion.h"
#include "tests/cells/cluster_move_case.h"
#include "tests/server/service/stubs.h"

namespace priorityd::rpc {
namespace {

TEST_F(ClusterMoveTest, AMovedClusterIsAsIfItHadStayed) {
  const v1::ListSharesResponse before = Shares(source_);
  const v1::ListGrantsResponse grants = Grants(source_);
  EXPECT_GT(grants.grants(0).balance().used_minutes(), 0);
  const absl::Status moved = Mover().Run();
  ASSERT_TRUE(moved.ok()) << moved << report_;
  EXPECT_EQ(Different(Shares(target_), before), "");
  EXPECT_EQ(Different(Grants(target_), grants), "");
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
  const auto moved = metadata.find("priorityd-moved-cluster");
  ASSERT_NE(moved, metadata.end());
  EXPECT_EQ(std::string(moved->second.data(), moved->second.size()), "c");
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
            "INSERT INTO priorityd.user_merge SELECT id, 'ben', 'amy', now(), '', '', true "
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
  // It knows merges, and none of domains.
  ExecuteAt(target_, "UPDATE priorityd.replica SET known_migration = 56 WHERE name = 'old'");
  EXPECT_FALSE(Make(*b_, v1::MOVE_STEP_ACTIVATE).ok());
  ExecuteAt(target_, "DELETE FROM priorityd.replica WHERE name = 'old'");
  const auto active = Make(*b_, v1::MOVE_STEP_ACTIVATE);
  EXPECT_TRUE(active.ok()) << active.status();
}

}  // namespace
}  // namespace priorityd::rpc
