#include "storage/snapshots/cluster_state.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "storage/configuration/tres_store.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

using ClusterStateTest = StoreTest;

// One of everything in `cluster`, and a deleted one where that can be.
absl::Status FillCluster(Transaction& transaction, int32_t cluster_id) {
  AssociationStore associations(transaction);
  const std::vector<int64_t> ids = associations.ReserveIds(2).value();
  Association root{.id = ids[0], .cluster_id = cluster_id, .account = "root"};
  Association gone{.id = ids[1], .cluster_id = cluster_id, .parent_id = ids[0], .account = "gone"};
  absl::Status status = associations.Insert({root, gone});
  if (status.ok()) status = associations.Delete(cluster_id, {gone.id}, Microseconds(1));
  if (status.ok()) status = ClusterUserStore(transaction).Upsert({{cluster_id, "ada", "root", ""}});
  QosStore qos(transaction);
  PartitionStore partitions(transaction);
  int64_t qos_id = 0;
  for (const char* name : {"gone", "here"}) {
    qos_id = qos.Insert({.cluster_id = cluster_id, .name = name}).value();
    int64_t partition = partitions.Insert({.cluster_id = cluster_id, .name = name}).value();
    if (absl::string_view(name) != "gone") continue;
    if (status.ok()) status = qos.Delete(cluster_id, qos_id, Microseconds(1));
    if (status.ok()) status = partitions.Delete(cluster_id, partition, Microseconds(1));
  }
  PolicyStore policies(transaction);
  for (const char* text : {"old", "new"}) {
    PolicyVersion policy{.cluster_id = cluster_id, .files = {{"slurm.conf", text}}};
    if (status.ok()) status = policies.Append(policy).status();
  }
  if (status.ok()) status = policies.SetHalfLife(cluster_id, {.half_life = absl::Hours(1)});
  UsageStore usage(transaction);
  if (status.ok()) status = usage.Lock(UsageOf::kAssociation, cluster_id, ids).status();
  if (status.ok()) status = usage.Lock(UsageOf::kQos, cluster_id, {qos_id}).status();
  if (status.ok()) status = usage.SetOpening(cluster_id, {{ids[0], 1, Microseconds(1)}});
  SnapshotRecord snapshot{.cluster_id = cluster_id, .policy_version = 2};
  return status.ok() ? SnapshotStore(transaction).Append(snapshot).status() : status;
}

TEST_F(ClusterStateTest, OnlyTheClustersOwnTresAreRead) {
  const auto tres = [&]() -> std::map<std::string, int32_t> {
    ClusterState state = Read([](Transaction& t) { return ReadClusterState(t, "test"); }).value();
    EXPECT_OK(Read([&](Transaction& transaction) -> absl::StatusOr<int> {
      absl::Status status = UpdateClusterState(transaction, &state);
      if (!status.ok()) return status;
      return 0;
    }));
    return state.tres;
  };
  ASSERT_OK(Write([&](Transaction& t) {
    const int32_t other = ClusterStore(t).FindOrCreate("other")->id;
    return TresStore(t).Register(other, {"gres/theirs"}, 10).status();
  }));
  EXPECT_EQ(tres().size(), kSlurmsOwnTres);
  ASSERT_OK(Write([&](Transaction& t) {
    return TresStore(t).Register(cluster_.id, {"gres/ours"}, 10).status();
  }));
  EXPECT_EQ(tres().size(), kSlurmsOwnTres + 1);
  EXPECT_TRUE(tres().contains("gres/ours"));
}

TEST_F(ClusterStateTest, AnUpdateEqualsANewReading) {
  ASSERT_OK(Write([&](Transaction& t) { return FillCluster(t, cluster_.id); }));
  ClusterState state = Read([](Transaction& t) { return ReadClusterState(t, "test"); }).value();
  const auto root = state.associations[0];
  std::vector<Association> added(3);
  for (int i = 0; i < 3; ++i) {
    added[i] = {.id = root.id + 10 + i, .cluster_id = cluster_.id, .parent_id = root.id};
    added[i].account = std::string(1, static_cast<char>('x' + i));
  }
  ASSERT_OK(Write([&](Transaction& transaction) -> absl::Status {
    absl::Status status = AssociationStore(transaction).Insert(added);
    UsageStore usage(transaction);
    if (status.ok()) {
      status = usage.Lock(UsageOf::kAssociation, cluster_.id, {added[1].id}).status();
    }
    if (status.ok()) {
      status = usage.Write(UsageOf::kAssociation, cluster_.id,
                           {{added[1].id, 5, Microseconds(9)}, {root.id, 7, Microseconds(8)}});
    }
    if (status.ok()) {
      status = usage.SetOpening(cluster_.id,
                                {{added[0].id, 2, Microseconds(3)}, {root.id, 4, Microseconds(3)}});
    }
    return status;
  }));
  ASSERT_OK(Read([&](Transaction& transaction) -> absl::StatusOr<int> {
    absl::Status status = UpdateClusterState(transaction, &state);
    if (!status.ok()) return status;
    return 0;
  }));
  const ClusterState anew =
      Read([](Transaction& t) { return ReadClusterState(t, "test"); }).value();
  EXPECT_EQ(state.associations, anew.associations);
  EXPECT_EQ(state.association_usage, anew.association_usage);
  EXPECT_EQ(state.qos_usage, anew.qos_usage);
  EXPECT_EQ(state.opening_usage, anew.opening_usage);
  EXPECT_EQ(state.revision, anew.revision);
  EXPECT_EQ(anew.association_usage.size(), 3u);
}

// A reader that derived its data from associations and users, and keeps neither.
class UpdateInPartTest : public ClusterStateTest {
 protected:
  void SetUp() override {
    ClusterStateTest::SetUp();
    ASSERT_OK(Write([&](Transaction& t) { return FillCluster(t, cluster_.id); }));
    state_ = Read([](Transaction& t) { return ReadClusterState(t, "test"); }).value();
    root_ = state_.associations[0];
    Drop();
  }
  void Drop() {
    state_.associations.clear();
    state_.users.clear();
  }
  std::optional<ConfigurationChanges> Update() {
    std::optional<ConfigurationChanges> changes;
    EXPECT_OK(Read([&](Transaction& transaction) -> absl::StatusOr<int> {
      absl::Status status = UpdateClusterState(transaction, &state_, &changes);
      if (!status.ok()) return status;
      return 0;
    }));
    return changes;
  }
  void AddAccount(int64_t id) {
    ASSERT_OK(Write([&](Transaction& t) {
      Association row{.id = id, .cluster_id = cluster_.id, .parent_id = root_.id};
      row.account = "a" + std::to_string(id);
      return AssociationStore(t).Insert({row});
    }));
  }

  ClusterState state_;
  Association root_;
};

TEST_F(UpdateInPartTest, WithoutAChangeThereIsNone) {
  EXPECT_FALSE(Update().has_value());
  EXPECT_TRUE(state_.associations.empty());
}

TEST_F(UpdateInPartTest, TheAssociationsThatWereWrittenAreReadAndNoOthers) {
  AddAccount(root_.id + 10);
  AddAccount(root_.id + 11);
  Update();
  AddAccount(root_.id + 12);
  ASSERT_OK(Write([&](Transaction& t) {
    return AssociationStore(t).Delete(cluster_.id, {root_.id + 10}, Microseconds(2));
  }));
  const auto changes = Update();
  ASSERT_TRUE(changes.has_value());
  ASSERT_EQ(changes->associations.size(), 1u);
  EXPECT_EQ(changes->associations[0].id, root_.id + 12);
  ASSERT_EQ(changes->deleted_associations.size(), 1u);
  EXPECT_EQ(changes->deleted_associations[0].id, root_.id + 10);
  EXPECT_EQ(changes->association_count, 3);
  EXPECT_FALSE(changes->users_changed);
  EXPECT_TRUE(state_.associations.empty());
  const auto anew = Read([](Transaction& t) { return ReadClusterState(t, "test"); }).value();
  EXPECT_EQ(state_.deleted_associations, anew.deleted_associations);
  EXPECT_EQ(state_.revision, anew.revision);
  EXPECT_EQ(state_.association_usage, anew.association_usage);
}

// The usage that it has is its own again, and not that of what stands above it.
TEST_F(UpdateInPartTest, AnAssociationThatLivesAgainIsDeletedNoMore) {
  const Association row{
      .id = 900, .cluster_id = cluster_.id, .parent_id = root_.id, .account = "z"};
  ASSERT_OK(Write([&](Transaction& t) {
    AssociationStore store(t);
    absl::Status status = store.Insert({row});
    if (!status.ok()) return status;
    return store.Delete(cluster_.id, {row.id}, Microseconds(1));
  }));
  Update();
  const size_t deleted = state_.deleted_associations.size();
  ASSERT_OK(Write([&](Transaction& t) { return AssociationStore(t).Insert({row}); }));
  const std::optional<ConfigurationChanges> changes = Update();
  ASSERT_TRUE(changes.has_value());
  EXPECT_EQ(changes->associations.back().id, row.id);
  EXPECT_EQ(state_.deleted_associations.size(), deleted - 1);
  const auto anew = Read([](Transaction& t) { return ReadClusterState(t, "test"); }).value();
  EXPECT_EQ(state_.deleted_associations, anew.deleted_associations);
}

TEST_F(UpdateInPartTest, UsersAreReadWhereOneWasWrittenOrIsGone) {
  ASSERT_OK(Write([&](Transaction& t) {
    return ClusterUserStore(t).Upsert({{cluster_.id, "ben", "root", ""}});
  }));
  auto changes = Update();
  ASSERT_TRUE(changes.has_value());
  EXPECT_TRUE(changes->users_changed);
  EXPECT_EQ(state_.users.size(), 2u);
  Drop();
  ASSERT_OK(
      Write([&](Transaction& t) { return ClusterUserStore(t).Delete(cluster_.id, {"ada"}); }));
  changes = Update();
  ASSERT_TRUE(changes.has_value());
  EXPECT_TRUE(changes->users_changed);
  EXPECT_EQ(state_.users, (std::vector<ClusterUser>{{cluster_.id, "ben", "root", ""}}));
}

TEST_F(UpdateInPartTest, WhatATransactionWroteThatWasOpenAtTheLastReadingIsRead) {
  ASSERT_OK(Write([&](Transaction& t) -> absl::Status {
    Association row{.id = root_.id + 10, .cluster_id = cluster_.id, .parent_id = root_.id};
    row.account = "late";
    absl::Status status = AssociationStore(t).Insert({row});
    EXPECT_OK(Write([](Transaction& o) { return ClusterStore(o).FindOrCreate("b").status(); }));
    EXPECT_FALSE(Update().has_value());
    return status;
  }));
  const auto changes = Update();
  ASSERT_TRUE(changes.has_value());
  ASSERT_EQ(changes->associations.size(), 1u);
  EXPECT_EQ(changes->associations[0].account, "late");
}

TEST_F(ClusterStateTest, ItHoldsEverythingOfOneClusterAndNothingOfAnother) {
  ASSERT_OK(Write([&](Transaction& transaction) {
    auto other = ClusterStore(transaction).FindOrCreate("other");
    if (!other.ok()) return other.status();
    absl::Status status = FillCluster(transaction, other->id);
    return status.ok() ? FillCluster(transaction, cluster_.id) : status;
  }));
  const ClusterState state =
      Read([](Transaction& t) { return ReadClusterState(t, "test"); }).value();
  EXPECT_EQ(state.cluster, cluster_);
  EXPECT_EQ(state.tres.at("cpu"), 1);
  ASSERT_EQ(state.associations.size(), 1u);
  EXPECT_EQ(state.associations[0].account, "root");
  ASSERT_EQ(state.deleted_associations.size(), 1u);
  EXPECT_EQ(state.deleted_associations[0].account, "gone");
  EXPECT_EQ(state.users, (std::vector<ClusterUser>{{cluster_.id, "ada", "root", ""}}));
  ASSERT_EQ(state.qos.size(), 1u);
  EXPECT_EQ(state.qos[0].name, "here");
  ASSERT_EQ(state.deleted_qos.size(), 1u);
  EXPECT_EQ(state.deleted_qos[0].name, "gone");
  ASSERT_EQ(state.partitions.size(), 1u);
  EXPECT_EQ(state.partitions[0].name, "here");
  ASSERT_EQ(state.deleted_partitions.size(), 1u);
  EXPECT_EQ(state.deleted_partitions[0].name, "gone");
  EXPECT_EQ(state.policy.value().version, 2);
  EXPECT_EQ(state.half_lives, (std::vector<HalfLife>{{.half_life = absl::Hours(1)}}));
  ASSERT_EQ(state.association_usage.size(), 2u);
  EXPECT_EQ(state.association_usage[1].id, state.deleted_associations[0].id);
  ASSERT_EQ(state.qos_usage.size(), 1u);
  EXPECT_EQ(state.qos_usage[0].id, state.qos[0].id);
  ASSERT_EQ(state.opening_usage.size(), 1u);
  EXPECT_EQ(state.opening_usage[0].association_id, state.associations[0].id);
  EXPECT_EQ(state.snapshot.value().generation, 1);
  EXPECT_GT(state.usage_watermark, 0);
}

TEST_F(ClusterStateTest, ANewClusterIsEmptyButThere) {
  const ClusterState state =
      Read([](Transaction& t) { return ReadClusterState(t, "test"); }).value();
  EXPECT_TRUE(state.associations.empty());
  EXPECT_EQ(state.policy, std::nullopt);
  EXPECT_EQ(state.snapshot, std::nullopt);
}

TEST_F(ClusterStateTest, AnUnknownClusterIsNotFound) {
  EXPECT_EQ(
      database_.Read([](Transaction& t) { return ReadClusterState(t, "none").status(); }).code(),
      absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace priorityd::storage
