#include "storage/schema/future_store.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "storage/configuration/association_store.h"
#include "storage/configuration/policy_store.h"
#include "storage/ledger/usage_reset_store.h"
#include "storage/snapshots/factor_history_store.h"
#include "storage/snapshots/snapshot_store.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

class FutureStoreTest : public StoreTest {
 protected:
  // Writes, for each time, all that a recalculation and a reset write.
  void WriteAt(const std::vector<int>& times) {
    ASSERT_OK(Write([&](Transaction& t) {
      const int64_t root = AssociationStore(t).ReserveIds(1).value()[0];
      absl::Status status =
          AssociationStore(t).Insert({{.id = root, .cluster_id = cluster_.id, .account = "root"}});
      for (const int time : times) {
        const absl::Time at = Microseconds(time);
        if (status.ok()) {
          status = SnapshotStore(t).Append({.cluster_id = cluster_.id, .computed_at = at}).status();
        }
        if (status.ok()) {
          status = FactorHistoryStore(t).Sample(cluster_.id, time, at, {{root, at, 1, 1}});
        }
        if (status.ok()) {
          status = PolicyStore(t).SetHalfLife(cluster_.id, {at, absl::Seconds(time)});
        }
        if (status.ok()) status = UsageResetStore(t).Append(cluster_.id, {root}, at);
      }
      return status;
    }));
  }

  FutureRows Forget(int now, int last_usage) {
    FutureRows rows;
    EXPECT_OK(Write([&](Transaction& t) {
      auto forgotten =
          FutureStore(t).Forget(cluster_.id, Microseconds(now), Microseconds(last_usage));
      if (forgotten.ok()) rows = *forgotten;
      return forgotten.status();
    }));
    return rows;
  }

  // The latest time of a column, in microseconds.
  int64_t Latest(const std::string& column, const std::string& table) {
    const std::string statement =
        "SELECT (extract(epoch FROM max(" + column + ")) * 1e6)::bigint FROM priorityd." + table;
    return Read([&](Transaction& t) { return t.QueryOne(OnlyColumn<int64_t>, statement.c_str()); })
        .value();
  }
};

TEST_F(FutureStoreTest, NothingOfAClusterIsLaterThanNowAfterwards) {
  WriteAt({5, 20, 30});
  const FutureRows rows = Forget(10, 0);
  EXPECT_EQ(rows.snapshots, 2);
  EXPECT_EQ(rows.samples, 2);
  EXPECT_EQ(rows.half_lives, 2);
  EXPECT_EQ(rows.resets, 2);
  EXPECT_EQ(Latest("computed_at", "snapshot"), 10);
  EXPECT_EQ(Latest("sampled_at", "factor_sample"), 5);
  EXPECT_EQ(Latest("sampled_at", "factor_history"), 5);
  EXPECT_EQ(Latest("effective_at", "half_life"), 5);
  EXPECT_EQ(Latest("reset_at", "usage_reset"), 10);
}

TEST_F(FutureStoreTest, AHalfLifeThatUsageWasSettledByStays) {
  WriteAt({5, 20, 30});
  EXPECT_EQ(Forget(10, 25).half_lives, 1);
  EXPECT_EQ(Latest("effective_at", "half_life"), 20);
}

TEST_F(FutureStoreTest, WithoutAFutureNothingChanges) {
  WriteAt({5});
  const FutureRows rows = Forget(10, 0);
  EXPECT_EQ(rows.snapshots + rows.samples + rows.half_lives + rows.resets, 0);
  EXPECT_EQ(Latest("computed_at", "snapshot"), 5);
}

}  // namespace
}  // namespace priorityd::storage
