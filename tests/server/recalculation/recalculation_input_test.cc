// What is kept and brought up to date against what is read whole.
#include "server/recalculation/recalculation_input.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "server/recalculation/computation.h"
#include "server/recalculation/kept_input.h"
#include "server/recalculation/snapshot_digest.h"
#include "tests/storage/store_test.h"

namespace priorityd::recalculation {
namespace {

using storage::Association;
using storage::AssociationStore;
using storage::ClusterUserStore;
using storage::StatusOf;
using storage::Transaction;
using storage::UsageOf;
using storage::UsageStore;

const absl::Time kNow = absl::FromUnixSeconds(1'700'000'000);

class RecalculationInputTest : public storage::StoreTest,
                               public ::testing::WithParamInterface<uint32_t> {
 protected:
  RecalculationInputTest() : random_(GetParam()) {}

  void SetUp() override {
    StoreTest::SetUp();
    Association root{.id = 1, .cluster_id = cluster_.id, .account = "root", .raw_shares = 1};
    Insert(root);
  }

  int Below(size_t n) { return static_cast<int>(random_() % n); }
  Association& Any(std::vector<Association>& rows) { return rows[Below(rows.size())]; }

  void Insert(const Association& row) {
    ASSERT_OK(Write([&](Transaction& t) { return AssociationStore(t).Insert({row}); }));
    (row.user_name.empty() ? accounts_ : users_).push_back(row);
  }
  void Add() {
    Association row{.id = ++last_id_, .cluster_id = cluster_.id};
    const Association& parent = Any(accounts_);
    row.parent_id = parent.id;
    row.account = absl::StrCat("a", last_id_);
    row.raw_shares = Below(9);
    if (Below(2) == 0) {
      row.account = parent.account;
      row.user_name = absl::StrCat("u", last_id_);
    }
    Insert(row);
  }
  void Update() {
    Association& row = Any(Below(2) == 0 || users_.empty() ? accounts_ : users_);
    row.raw_shares = Below(4) == 0 ? std::nullopt : std::optional<int64_t>(Below(9));
    if (Below(3) == 0) row.grp_wall_minutes = 60;
    if (Below(3) == 0) row.qos = std::vector<std::string>{"normal"};
    ASSERT_OK(Write([&](Transaction& t) { return AssociationStore(t).Update({row}); }));
  }
  void DeleteUser() {
    if (users_.empty()) return;
    const size_t i = Below(users_.size());
    ASSERT_OK(Write([&](Transaction& t) {
      return AssociationStore(t).Delete(cluster_.id, {users_[i].id}, kNow);
    }));
    users_.erase(users_.begin() + static_cast<ptrdiff_t>(i));
  }
  // A row of cluster_user, or the end of one.
  void SetDefault() {
    const std::string name = absl::StrCat("u", Below(12));
    ASSERT_OK(Write([&](Transaction& t) {
      ClusterUserStore store(t);
      if (Below(3) == 0) return store.Delete(cluster_.id, {name});
      return store.Upsert({{cluster_.id, name, Any(accounts_).account, ""}});
    }));
  }
  void Use() {
    if (users_.empty()) return;
    const int64_t id = Any(users_).id;
    ASSERT_OK(Write([&](Transaction& t) -> absl::Status {
      UsageStore usage(t);
      absl::Status status = usage.Lock(UsageOf::kAssociation, cluster_.id, {id}).status();
      if (!status.ok()) return status;
      return usage.Write(UsageOf::kAssociation, cluster_.id, {{id, 1.0 * Below(1000), kNow}});
    }));
  }
  void Step() {
    switch (Below(7)) {
      case 0:
      case 1:
        return Add();
      case 2:
        return Update();
      case 3:
        return DeleteUser();
      case 4:
        return SetDefault();
      case 5:
        return Use();
      default:
        return;  // Nothing between two recalculations.
    }
  }

  void BringUp(RecalculationInput* input) {
    ASSERT_OK(BringUpToDate(database_, "test", {.now = kNow}, input));
  }
  // As after a recalculation that was published.
  static void PutAway(RecalculationInput* input) {
    storage::PackedUsage packed = storage::PackUsage(input->state, {});
    PublishedUsage published{.hashes = std::move(packed.hashes), .whole = std::move(packed.whole)};
    KeptInput kept(std::move(*input), std::move(published));
    PublishedUsage again;
    ASSERT_OK(std::move(kept).TakeOut(input, &again));
  }

  std::mt19937 random_;
  std::vector<Association> accounts_;
  std::vector<Association> users_;
  int64_t last_id_ = 100;
};

TEST_P(RecalculationInputTest, ATimeBeyondThisHostsClockIsRefusedThoughTheDatabaseHasIt) {
  RecalculationInput input;
  const absl::Status refused = BringUpToDate(
      database_, cluster_.name, {.now = kNow, .latest = kNow - absl::Seconds(1)}, &input);
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(errors::ReasonOf(refused), "CLOCK_OFF");
  RecalculationInput allowed;
  EXPECT_OK(BringUpToDate(database_, cluster_.name, {.now = kNow, .latest = kNow}, &allowed));
}

TEST_P(RecalculationInputTest, WhatIsBroughtUpToDateIsWhatIsReadWhole) {
  RecalculationInput kept;
  BringUp(&kept);
  for (int round = 0; round < 25; ++round) {
    PutAway(&kept);
    for (int step = Below(4); step > 0; --step) Step();
    BringUp(&kept);
    RecalculationInput whole;
    BringUp(&whole);
    EXPECT_TRUE(*kept.configuration->tree == *whole.configuration->tree) << round;
    EXPECT_TRUE(*kept.configuration->default_accounts == *whole.configuration->default_accounts);
    EXPECT_EQ(kept.configuration->revision, whole.configuration->revision);
    EXPECT_EQ(kept.state.user_count, whole.state.user_count);
    EXPECT_EQ(DigestOf(**Compute(kept)), DigestOf(**Compute(whole)));
    // One that has come to be stays until all is read.
    EXPECT_TRUE(kept.limits_usage || !whole.limits_usage);
  }
}

TEST_P(RecalculationInputTest, RowsThatWentWithoutATraceAreSeenByTheirNumber) {
  Add();
  RecalculationInput kept;
  BringUp(&kept);
  PutAway(&kept);
  ASSERT_OK(Write([&](Transaction& t) {
    return t.Execute("DELETE FROM priorityd.association WHERE id = 101").status();
  }));
  BringUp(&kept);
  EXPECT_EQ(kept.configuration->tree->size(), 1);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RecalculationInputTest, ::testing::Range(1u, 5u));

}  // namespace
}  // namespace priorityd::recalculation
