#include "storage/ledger/ledger_size_store.h"

#include <gtest/gtest.h>

#include <vector>

#include "storage/configuration/cluster_store.h"
#include "storage/ledger/retention_store.h"
#include "tests/storage/retention_fixture.h"

namespace priorityd::storage {
namespace {

class LedgerSizeStoreTest : public RetentionStoreTest {
 protected:
  std::vector<LedgerAge> Ages() {
    return Write([](Transaction& transaction) { return LedgerSizeStore(transaction).Ages(); })
        .value();
  }
  LedgerSize Size() {
    return Write([](Transaction& transaction) { return LedgerSizeStore(transaction).Size(); })
        .value();
  }
};

TEST_F(LedgerSizeStoreTest, AnEmptyLedgerHasNoOldestRecord) {
  ASSERT_EQ(Ages().size(), 1u);
  EXPECT_EQ(Ages().front().cluster, "test");
  EXPECT_EQ(Ages().front().horizon, absl::InfinitePast());
  EXPECT_FALSE(Ages().front().oldest_end.has_value());
  EXPECT_EQ(Size().records, 0);
}

TEST_F(LedgerSizeStoreTest, TheOldestRecordIsTheOneThatEndsFirst) {
  Append({Record("a", Hour(5), Hour(6)), Record("b", Hour(1), Hour(2))});
  EXPECT_EQ(Ages().front().oldest_end, Hour(2));
  ASSERT_OK(Write([&](Transaction& transaction) {
    return RetentionStore(transaction).MoveHorizon(cluster_.id, Hour(3));
  }));
  EXPECT_EQ(Ages().front().horizon, Hour(3));
}

TEST_F(LedgerSizeStoreTest, TheSizeIsThatOfTheStatistics) {
  Append({Record("a", Hour(5), Hour(6)), Record("b", Hour(1), Hour(2))});
  const int64_t empty = Size().bytes;
  ASSERT_OK(Write([](Transaction& transaction) {
    return transaction.Execute("ANALYZE priorityd.usage_record").status();
  }));
  EXPECT_EQ(Size().records, 2);
  EXPECT_GE(Size().bytes, empty);
  EXPECT_GT(Size().bytes, 0);
}

}  // namespace
}  // namespace priorityd::storage
