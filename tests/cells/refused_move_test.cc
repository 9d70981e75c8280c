// What a cluster refuses before, while and after it moves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cells/cluster_move_case.h"

namespace priorityd::rpc {
namespace {

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
