#include "storage/grants/usage_pool_store.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

absl::Time Hour(int hour) { return absl::FromUnixSeconds(1'767'225'600 + hour * 3600); }

class UsagePoolStoreTest : public StoreTest {
 protected:
  template <typename Work>
  void Do(Work work) {
    ASSERT_OK(Write([&](Transaction& t) {
      UsagePoolStore store(t);
      return work(store);
    }));
  }
  int64_t Inserted(const UsagePool& pool) {
    return Write([&](Transaction& t) { return UsagePoolStore(t).Insert(cluster_.id, pool); })
        .value();
  }
  std::vector<UsagePool> Pools() {
    return Read([&](Transaction& t) { return UsagePoolStore(t).List(cluster_.id); }).value();
  }
  std::vector<UsagePoolPeriod> Periods() {
    const std::vector<UsagePool> pools = Pools();
    std::vector<int64_t> ids;
    for (const UsagePool& pool : pools) ids.push_back(pool.id);
    return Read([&](Transaction& t) { return UsagePoolStore(t).ListPeriods(cluster_.id, ids); })
        .value();
  }
  void Execute(const std::string& sql) {
    ASSERT_OK(Write([&](Transaction& t) { return t.ExecuteScript(sql.c_str()); }));
  }
};

TEST_F(UsagePoolStoreTest, ChangesAreAddedToPeriodsExactly) {
  const int64_t id = Inserted({0, {"a", "b"}, "ann", "cpu", 7, false});
  const std::vector<UsagePoolPeriod> periods = {{id, Hour(0), Hour(1), "0.1"},
                                                {id, Hour(1), absl::InfiniteFuture(), "0"}};
  Do([&](UsagePoolStore& store) { return store.ReplacePeriods(cluster_.id, {id}, periods); });
  EXPECT_EQ(Periods(), periods);
  Do([&](UsagePoolStore& store) {
    return store.AddToPeriods(
        cluster_.id, {{id, Hour(0), {}, "0.2"}, {id, Hour(1), {}, "-3.000000000000000001"}});
  });
  EXPECT_EQ(Periods()[0].used, "0.3");
  EXPECT_EQ(Periods()[1].used, "-3.000000000000000001");
  const absl::Status unknown = Write([&](Transaction& t) {
    return UsagePoolStore(t).AddToPeriods(cluster_.id,
                                          std::vector<UsagePoolPeriod>{{id, Hour(2), {}, "1"}});
  });
  EXPECT_EQ(unknown.code(), absl::StatusCode::kInternal) << unknown;
}

TEST_F(UsagePoolStoreTest, APoolIsSettledAndDeletedWithItsPeriods) {
  const UsagePool pool = {0, {"a"}, "", "billing", 7, true};
  const int64_t id = Inserted(pool);
  Do([&](UsagePoolStore& store) {
    return store.ReplacePeriods(
        cluster_.id, {id},
        std::vector<UsagePoolPeriod>{{id, Hour(0), absl::InfiniteFuture(), "1"}});
  });
  Do([&](UsagePoolStore& store) { return store.SetSettled(cluster_.id, {{id, 7}}, 9, false); });
  EXPECT_EQ(Pools(), (std::vector<UsagePool>{{id, {"a"}, "", "billing", 9, true}}));
  Do([&](UsagePoolStore& store) { return store.SetSettled(cluster_.id, {{id, 9}}, 12, true); });
  EXPECT_EQ(Pools(), (std::vector<UsagePool>{{id, {"a"}, "", "billing", 12, false}}));
  Do([&](UsagePoolStore& store) { return store.Delete(cluster_.id, {id}); });
  EXPECT_EQ(Pools(), std::vector<UsagePool>());
  EXPECT_EQ(Periods(), std::vector<UsagePoolPeriod>());
}

TEST_F(UsagePoolStoreTest, APoolIsNotSettledFromAPositionThatIsNotTheStoredOne) {
  const int64_t id = Inserted({0, {"a"}, "", "billing", 7, false});
  const int64_t other = Inserted({0, {"b"}, "", "billing", 8, false});
  const auto settle = [&](int64_t from) {
    return Write([&](Transaction& t) {
      const std::vector<StoredPool> pools = {{id, from}, {other, 8}};
      return UsagePoolStore(t).SetSettled(cluster_.id, pools, 9, false);
    });
  };
  EXPECT_EQ(settle(6).code(), absl::StatusCode::kAborted);
  EXPECT_EQ(settle(8).code(), absl::StatusCode::kAborted);
  EXPECT_EQ(Pools(), (std::vector<UsagePool>{{id, {"a"}, "", "billing", 7, false},
                                             {other, {"b"}, "", "billing", 8, false}}));
  EXPECT_EQ(settle(7).code(), absl::StatusCode::kOk);
}

// root > a > sub > user dan; then sub and dan are deleted, and sub moves.
TEST_F(UsagePoolStoreTest, APathGoesThroughDeletedAssociationsAndAMoveMakesPoolsStale) {
  const std::string c = absl::StrCat(cluster_.id);
  Execute(absl::StrCat(
      "INSERT INTO priorityd.association (id, cluster_id, parent_id, account, user_name) VALUES "
      "(901, ",
      c, ", NULL, 'root', ''), (902, ", c, ", 901, 'a', ''), (903, ", c,
      ", 902, 'sub', ''), (904, ", c,
      ", 903, 'sub', 'dan'); "
      "UPDATE priorityd.association SET deleted_at = now() WHERE id IN (903, 904)"));
  const auto path =
      Read([&](Transaction& t) { return UsagePoolStore(t).PathOf(cluster_.id, 904); });
  EXPECT_EQ(path.value(),
            (std::vector<PathStep>{
                {904, "sub", "dan"}, {903, "sub", ""}, {902, "a", ""}, {901, "root", ""}}));
  Inserted({0, {"a"}, "", "billing", 7, false});
  Execute("UPDATE priorityd.association SET raw_shares = 5 WHERE id = 903");
  EXPECT_FALSE(Pools()[0].is_stale);
  Execute("UPDATE priorityd.association SET parent_id = 901 WHERE id = 903");
  EXPECT_TRUE(Pools()[0].is_stale);
}

TEST_F(UsagePoolStoreTest, StandingsAreReplacedAndThoseThatStayAreNotWritten) {
  const GrantStanding standing = {.place = 0,
                                  .name = "g",
                                  .accounts = {"a", "b,{c}"},
                                  .user_name = "",
                                  .tres = "billing",
                                  .available = 1.0 / 3,
                                  .used = 12,
                                  .until_time = Hour(5),
                                  .ends = true,
                                  .has_borrow = true,
                                  .consequence = "demote",
                                  .demoted_qos = "low",
                                  .consequence_value = "1000"};
  GrantStanding endless = standing;
  endless.place = 1;
  endless.ends = endless.has_borrow = false;
  endless.has_grace = endless.has_others = true;
  endless.until_time = absl::InfiniteFuture();
  GrantStanding used = standing;
  used.used = 13;
  const auto listed = [this] {
    return Read([&](Transaction& t) { return UsagePoolStore(t).ListStandings(cluster_.id); })
        .value();
  };
  const auto replace = [&](std::vector<GrantStanding> standings) {
    const std::vector<GrantStanding> present = listed();
    Do([&](UsagePoolStore& store) {
      return store.ReplaceStandings(cluster_.id, present, standings);
    });
    EXPECT_EQ(listed(), standings);
  };
  const auto written = [this](int64_t place) {
    return Read([&](Transaction& t) {
             return t.QueryOne(OnlyColumn<std::string>,
                               "SELECT xmin || ' ' || ctid FROM priorityd.grant_standing "
                               "WHERE cluster_id = $1 AND place = $2::bigint",
                               {cluster_.id, place});
           })
        .value();
  };
  replace({standing, endless});
  const std::string first = written(0), second = written(1);
  replace({used, endless});
  EXPECT_NE(written(0), first);
  EXPECT_EQ(written(1), second);
  const std::string third = written(0);
  used.used = 14;
  Do([&](UsagePoolStore& store) { return store.UpdateStandings(cluster_.id, {used}); });
  EXPECT_EQ(listed(), (std::vector<GrantStanding>{used, endless}));
  EXPECT_NE(written(0), third);
  EXPECT_EQ(written(1), second);
  replace({used});
  replace({});
  const absl::Status unknown =
      Write([&](Transaction& t) { return UsagePoolStore(t).UpdateStandings(cluster_.id, {used}); });
  EXPECT_EQ(unknown.code(), absl::StatusCode::kInternal) << unknown;
}

// In a table that PostgreSQL has no statistics of.
TEST_F(UsagePoolStoreTest, ChangesOfAFewRowsOfManyReadNoOthers) {
  const std::string c = absl::StrCat(cluster_.id);
  Execute(absl::StrCat(
      "INSERT INTO priorityd.usage_pool (id, cluster_id, accounts, user_name, tres, settled_seq) "
      "OVERRIDING SYSTEM VALUE SELECT i, ",
      c,
      ", ARRAY['a' || i], '', 'cpu', 1 FROM generate_series(1, 5000) AS i; "
      "INSERT INTO priorityd.usage_pool_period SELECT ",
      c,
      ", i, timestamptz '2026-01-01', 'infinity', 0 FROM generate_series(1, 5000) AS i; "
      "INSERT INTO priorityd.grant_standing (cluster_id, place, name, accounts, user_name, tres, "
      "available, used, until_time, consequence, demoted_qos) SELECT ",
      c, ", i, 'g', '{a}', '', 'cpu', 1, 0, 'infinity', 'block', '' ",
      "FROM generate_series(0, 4999) AS i"));
  std::vector<StoredPool> pools;
  std::vector<UsagePoolPeriod> changes;
  std::vector<GrantStanding> standings;
  for (int64_t i = 1; i <= 20; ++i) {
    pools.push_back({i * 200, 1});
    changes.push_back({i * 200, Hour(0), {}, "1"});
    standings.push_back({.place = i * 200, .accounts = {"a"}, .used = 2});
  }
  const auto rows_read = [&](const std::string& table, auto work) {
    return Write([&](Transaction& t) {
             UsagePoolStore store(t);
             return RowsReadBy(t, table, [&] { return work(store); });
           })
        .value();
  };
  const int64_t bound = 100;
  EXPECT_LE(rows_read("priorityd.usage_pool_period",
                      [&](auto& store) { return store.AddToPeriods(cluster_.id, changes); }),
            bound);
  EXPECT_LE(rows_read("priorityd.usage_pool",
                      [&](auto& store) { return store.SetSettled(cluster_.id, pools, 2, false); }),
            bound);
  EXPECT_LE(rows_read("priorityd.grant_standing",
                      [&](auto& store) { return store.UpdateStandings(cluster_.id, standings); }),
            bound);
}

}  // namespace
}  // namespace priorityd::storage
