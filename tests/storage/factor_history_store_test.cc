#include "storage/factor_history_store.h"

#include <gtest/gtest.h>

#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

class FactorHistoryStoreTest : public StoreTest {
 protected:
  // Samples associations 1 and 2 with this usage and fair-share 1.
  void Sample(absl::Time at, double usage) {
    const std::vector<FactorSample> samples = {{1, at, usage, 1}, {2, at, usage, 1}};
    ASSERT_OK(Write([&](Transaction& transaction) {
      return FactorHistoryStore(transaction).Sample(cluster_.id, ++generation_, at, samples);
    }));
  }
  std::vector<FactorSample> List(FactorHistoryQuery query) {
    query.cluster_id = cluster_.id;
    if (query.limit == 0) query.limit = 100;
    return Read([&](Transaction& t) { return FactorHistoryStore(t).List(query); }).value();
  }
  absl::Time LastSample() {
    return Read([&](Transaction& t) { return FactorHistoryStore(t).LastSample(cluster_.id); })
        .value();
  }

  int64_t generation_ = 0;
};

TEST_F(FactorHistoryStoreTest, SamplesAreListedByTimeWithinTheRange) {
  EXPECT_EQ(LastSample(), absl::InfinitePast());
  for (int i = 1; i <= 4; ++i) Sample(Microseconds(i), 10 * i);
  EXPECT_EQ(LastSample(), Microseconds(4));
  const auto samples =
      List({.association_ids = {2}, .start = Microseconds(2), .end = Microseconds(4)});
  EXPECT_EQ(samples,
            (std::vector<FactorSample>{{2, Microseconds(2), 20, 1}, {2, Microseconds(3), 30, 1}}));
}

TEST_F(FactorHistoryStoreTest, PagesJoinWithoutGapOrOverlap) {
  for (int i = 1; i <= 3; ++i) Sample(Microseconds(i), i);
  const auto all = List({.association_ids = {1, 2}});
  ASSERT_EQ(all.size(), 6u);
  std::vector<FactorSample> paged;
  FactorHistoryQuery query{.association_ids = {1, 2}, .limit = 1};
  for (auto page = List(query); !page.empty(); page = List(query)) {
    paged.push_back(page[0]);
    query.after = {page[0].sampled_at, page[0].association_id};
  }
  EXPECT_EQ(paged, all);
}

TEST_F(FactorHistoryStoreTest, OldSamplesAreDeleted) {
  for (int i = 1; i <= 3; ++i) Sample(Microseconds(i), i);
  ASSERT_OK(Write([&](Transaction& transaction) {
    return FactorHistoryStore(transaction).DeleteBefore(cluster_.id, Microseconds(3));
  }));
  const auto samples = List({.association_ids = {1, 2}});
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].sampled_at, Microseconds(3));
}

}  // namespace
}  // namespace priorityd::storage
