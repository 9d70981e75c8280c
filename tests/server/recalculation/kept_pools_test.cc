// The usage of grants that a leader keeps, when another process leads meanwhile.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/recalculation/recalculation.h"
#include "storage/database/database.h"
#include "storage/database/transaction.h"
#include "tests/storage/test_database.h"

namespace priorityd::recalculation {
namespace {

// A cluster with one user of the account a, which has a grant.
constexpr char kGrantedCluster[] =
    "INSERT INTO priorityd.cluster (name) VALUES ('c'); "
    "INSERT INTO priorityd.association (cluster_id, account) "
    "SELECT id, 'root' FROM priorityd.cluster; "
    "INSERT INTO priorityd.association (cluster_id, parent_id, account) "
    "SELECT cluster_id, id, 'a' FROM priorityd.association; "
    "INSERT INTO priorityd.association (cluster_id, parent_id, account, user_name) "
    "SELECT cluster_id, id, 'a', 'amy' FROM priorityd.association WHERE account = 'a'; "
    "INSERT INTO priorityd.usage_grant (cluster_id, name, accounts, user_name, tres, begin_time, "
    "end_time, window_kind, rolling_days, carry_over, carry_windows, borrow, grace, use_order, "
    "consequence, demoted_qos) SELECT id, 'g', '{a}', '', 'billing', timestamptz '2026-01-01', "
    "'infinity', 'month', 0, 0, 0, 0, 0, 0, 'block', '' FROM priorityd.cluster; "
    "INSERT INTO priorityd.usage_grant_version (cluster_id, grant_id, number, effective_at, "
    "amount, changed_by, comment) SELECT cluster_id, id, 1, begin_time, 6e9, 'test', '' "
    "FROM priorityd.usage_grant";

class KeptPoolsTest : public testing::Test {
 protected:
  KeptPoolsTest() { Run(kGrantedCluster); }

  void Run(const std::string& sql) {
    const absl::Status status = database_.Write(
        [&](storage::Transaction& transaction) { return transaction.ExecuteScript(sql.c_str()); });
    ASSERT_TRUE(status.ok()) << status;
  }

  // One more billing-hour of amy.
  void Use() {
    Run(absl::StrCat(
        "INSERT INTO priorityd.usage_record (cluster_id, source, record_id, job_id, user_name, "
        "account, partition, qos, start_time, end_time, tres_ids, tres_counts, "
        "replaces_record_id, association_id, billing_rate, usage_factor) SELECT cluster_id, 's', '",
        ++records_,
        "', '', 'amy', 'a', '', '', timestamptz '2026-01-02 00:00+0', "
        "timestamptz '2026-01-02 01:00+0', '{1}', '{1}', '', id, 1, 1 "
        "FROM priorityd.association WHERE user_name = 'amy'"));
  }

  void BeginEpoch() {
    ++epoch_;
    Run(absl::StrCat("UPDATE priorityd.leader_lease SET epoch = ", epoch_));
  }

  std::shared_ptr<const priority::Snapshot> Recalculate(Recalculator& process) {
    time_ += absl::Minutes(5);
    auto snapshot = process.Recalculate("c", {.now = time_}, epoch_);
    EXPECT_TRUE(snapshot.ok()) << snapshot.status();
    return snapshot.value_or(nullptr);
  }

  int64_t UsedHours() {
    return database_
        .Read([&](storage::Transaction& transaction) {
          return transaction.QueryOne(
              storage::OnlyColumn<int64_t>,
              "SELECT (sum(used) / 3600)::bigint FROM priorityd.usage_pool_period");
        })
        .value();
  }

  storage::Database database_{{.url = storage::NewTestDatabase()}};
  Recalculator first_{&database_, {.interval = absl::InfiniteDuration()}};
  Recalculator second_{&database_, {.interval = absl::InfiniteDuration()}};
  absl::Time time_ = absl::FromUnixSeconds(1'767'571'200);  // 5 January 2026.
  int64_t epoch_ = 0;
  int64_t records_ = 0;
};

// A process that leads again may recalculate before it has heard that another one led.
TEST_F(KeptPoolsTest, WhatAnotherProcessSettledBetweenTwoLeadershipsOfOneCountsOnce) {
  Recalculate(first_);
  Use();
  Recalculate(first_);
  ASSERT_EQ(UsedHours(), 1);
  BeginEpoch();
  Use();
  Recalculate(second_);
  ASSERT_EQ(UsedHours(), 2);
  BeginEpoch();
  Use();
  Recalculate(first_);
  EXPECT_EQ(UsedHours(), 3);
  Use();
  Recalculate(first_);
  EXPECT_EQ(UsedHours(), 4);
}

// The stored position stops it, whatever let two processes settle in one epoch.
TEST_F(KeptPoolsTest, PoolsThatAnotherProcessHasSettledAreReadAgain) {
  Recalculate(first_);
  Use();
  Recalculate(first_);
  Use();
  Recalculate(second_);
  Use();
  const absl::Status status =
      first_.Recalculate("c", {.now = time_ + absl::Minutes(5)}, epoch_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted) << status;
  EXPECT_EQ(UsedHours(), 2);
  Recalculate(first_);
  EXPECT_EQ(UsedHours(), 3);
}

// The account a has a grant, the account b another one.
TEST_F(KeptPoolsTest, SnapshotsShareTheStandingsThatDidNotChange) {
  Run("INSERT INTO priorityd.usage_grant (cluster_id, name, accounts, user_name, tres, begin_time, "
      "end_time, window_kind, rolling_days, carry_over, carry_windows, borrow, grace, use_order, "
      "consequence, demoted_qos) SELECT cluster_id, 'unused', '{b}', user_name, tres, begin_time, "
      "end_time, window_kind, rolling_days, carry_over, carry_windows, borrow, grace, use_order, "
      "consequence, demoted_qos FROM priorityd.usage_grant; "
      "INSERT INTO priorityd.usage_grant_version (cluster_id, grant_id, number, effective_at, "
      "amount, changed_by, comment) SELECT cluster_id, id, 1, begin_time, 6e9, 'test', '' "
      "FROM priorityd.usage_grant WHERE name = 'unused'");
  Recalculate(first_);
  const auto before = Recalculate(first_);
  Use();
  const auto after = Recalculate(first_);
  ASSERT_NE(after, nullptr);
  ASSERT_EQ(after->grants().size(), 2u);
  EXPECT_EQ(before->grants()[0].used, 0);
  EXPECT_EQ(after->grants()[0].used, 3600);
  EXPECT_EQ(&after->grants()[1], &before->grants()[1]);
}

}  // namespace
}  // namespace priorityd::recalculation
