#include "storage/snapshots/factor_history_store.h"

#include <gtest/gtest.h>

#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
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

TEST_F(FactorHistoryStoreTest, PagesOfAnySizeJoinToWhatAnOrderedScanGives) {
  // Association 2 came later, and what there was of 3 is gone.
  ASSERT_OK(Write([&](Transaction& transaction) {
    return transaction.ExecuteScript(
        absl::StrCat("INSERT INTO priorityd.factor_sample (cluster_id, sampled_at, generation) "
                     "SELECT ",
                     cluster_.id,
                     ", to_timestamp(t), t FROM generate_series(1, 9) t; "
                     "INSERT INTO priorityd.factor_history "
                     "SELECT ",
                     cluster_.id,
                     ", a, to_timestamp(t), t, a "
                     "FROM generate_series(1, 9) t, unnest('{1,2,4,7}'::bigint[]) a "
                     "WHERE a <> 2 OR t > 5")
            .c_str());
  }));
  std::vector<FactorSample> all;
  for (int t = 3; t <= 8; ++t) {
    for (const int64_t a : {1, 2, 4}) {
      const absl::Time at = absl::FromUnixSeconds(t);
      if (a != 2 || t > 5) all.push_back({a, at, static_cast<double>(t), static_cast<double>(a)});
    }
  }
  for (int64_t limit = 1; limit <= 20; ++limit) {
    std::vector<FactorSample> paged;
    FactorHistoryQuery query{.association_ids = {4, 3, 2, 1},
                             .start = absl::FromUnixSeconds(3),
                             .end = absl::FromUnixSeconds(9),
                             .limit = limit};
    for (auto page = List(query); !page.empty(); page = List(query)) {
      EXPECT_LE(page.size(), limit);
      paged.insert(paged.end(), page.begin(), page.end());
      query.after = {page.back().sampled_at, page.back().association_id};
    }
    EXPECT_EQ(paged, all) << limit;
  }
}

TEST_F(FactorHistoryStoreTest, APageReadsLittleMoreThanItHas) {
  ASSERT_OK(Write([&](Transaction& transaction) {
    return transaction.ExecuteScript(
        absl::StrCat("INSERT INTO priorityd.factor_sample (cluster_id, sampled_at, generation) "
                     "SELECT ",
                     cluster_.id,
                     ", to_timestamp(t), t FROM generate_series(1, 200) t; "
                     "INSERT INTO priorityd.factor_history "
                     "SELECT ",
                     cluster_.id,
                     ", a, to_timestamp(t), t, a "
                     "FROM generate_series(1, 200) t, generate_series(1, 200) a; "
                     "ANALYZE priorityd.factor_history")
            .c_str());
  }));
  std::vector<int64_t> all(200);
  std::iota(all.begin(), all.end(), 1);
  const absl::Time late = absl::FromUnixSeconds(150);
  for (const auto& ids : {std::vector<int64_t>{77}, std::vector<int64_t>{5, 9, 100}, all}) {
    FactorHistoryQuery query{.cluster_id = cluster_.id,
                             .association_ids = ids,
                             .after = std::make_pair(late, ids.front()),
                             .limit = 30};
    const auto read = Read([&](Transaction& transaction) -> absl::StatusOr<int64_t> {
      auto page = FactorHistoryStore(transaction).List(query);
      if (!page.ok()) return page.status();
      EXPECT_EQ(page->size(), 30u);
      return transaction.QueryOne(OnlyColumn<int64_t>,
                                  "SELECT seq_tup_read + idx_tup_fetch FROM "
                                  "pg_stat_xact_user_tables WHERE relname = 'factor_history'");
    });
    EXPECT_LE(read.value(), 100) << ids.size() << " associations";
  }
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
