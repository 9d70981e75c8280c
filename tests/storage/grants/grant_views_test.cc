// The views of grants of the schema priorityd_report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "storage/grants/budget_event_store.h"
#include "storage/grants/grant_store.h"
#include "storage/grants/price_book_store.h"
#include "storage/grants/usage_pool_store.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

using ::testing::ElementsAre;

class GrantViewsTest : public StoreTest {
 protected:
  // As the role of dashboards: the first column of each row.
  std::vector<std::string> Rows(const char* query) {
    const auto rows =
        database_.Read([&](Transaction& t) -> absl::StatusOr<std::vector<std::string>> {
          if (absl::Status s = t.ExecuteScript("SET LOCAL ROLE priorityd_report"); !s.ok())
            return s;
          return t.Query(OnlyColumn<std::string>, query);
        });
    EXPECT_OK(rows);
    return rows.value_or(std::vector<std::string>());
  }
};

// Decimal numbers with more digits than a double has: each is read as it was written.
TEST_F(GrantViewsTest, GrantsHaveTheirAmountsAndTheUsageOfTheirOwnersExactly) {
  const absl::Time begin = absl::FromUnixSeconds(1'767'225'600);  // 2026-01-01.
  const Grant quarter{.name = "chem",
                      .accounts = {"a", "b"},
                      .tres = "cpu",
                      .begin_time = begin,
                      .window_kind = "quarter",
                      .carry_over = 100'000,
                      .consequence = "demote",
                      .demoted_qos = "low"};
  const Grant rolling{.name = "phys",
                      .accounts = {"b"},
                      .user_name = "ben",
                      .tres = "cpu",
                      .begin_time = begin,
                      .end_time = begin + absl::Hours(48),
                      .window_kind = "rolling",
                      .rolling_days = 30,
                      .consequence = "none",
                      .revoked_at = begin + absl::Hours(1)};
  ASSERT_OK(Write([&](Transaction& t) -> absl::Status {
    GrantStore grants(t);
    UsagePoolStore pools(t);
    const int32_t c = cluster_.id;
    const int64_t chem = grants.Insert(c, quarter).value();
    const int64_t phys = grants.Insert(c, rolling).value();
    const int64_t pool = pools.Insert(c, {.accounts = {"a", "b"}, .tres = "cpu"}).value();
    const std::vector<UsagePoolPeriod> periods = {
        {pool, begin, begin + absl::Hours(1), "0.333333333333333333333"},
        {pool, begin + absl::Hours(1), absl::InfiniteFuture(), "7"}};
    for (const absl::Status& status :
         {grants.AddVersion(c, {chem, begin, "7200000", "ann", "call"}),
          grants.AddVersion(c, {chem, begin + absl::Hours(2), "9000000.000000000001", "ann", ""}),
          grants.AddTransfer(c, {chem, phys, begin + absl::Hours(1), "60.5", "ann", "by mail"}),
          pools.ReplacePeriods(c, {pool}, periods)}) {
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }));
  EXPECT_THAT(
      Rows("SELECT concat_ws(' ', grant_name, accounts, user_name, tres, window_kind, "
           "rolling_days, newest_amount_seconds, trim_scale(carry_over), consequence, "
           "demoted_qos, end_time IS NULL, extract(epoch FROM revoked_at - begin_time)::int) "
           "FROM priorityd_report.usage_grant ORDER BY grant_name"),
      ElementsAre("chem {a,b}  cpu quarter 9000000.000000000001 0.1 demote low t",
                  "phys {b} ben cpu rolling 30 0 none  f 3600"));
  EXPECT_THAT(Rows("SELECT concat_ws(' ', grant_name, number, amount_seconds, comment) "
                   "FROM priorityd_report.usage_grant_version ORDER BY number"),
              ElementsAre("chem 1 7200000 call", "chem 2 9000000.000000000001 "));
  EXPECT_THAT(Rows("SELECT concat_ws(' ', from_grant, to_grant, amount_seconds, comment) "
                   "FROM priorityd_report.usage_grant_transfer"),
              ElementsAre("chem phys 60.5 by mail"));
  EXPECT_THAT(Rows("SELECT concat_ws(' ', accounts, tres, extract(epoch FROM end_time)::int, "
                   "used_seconds, is_stale) FROM priorityd_report.grant_owner_usage "
                   "ORDER BY begin_time"),
              ElementsAre("{a,b} cpu 1767229200 0.333333333333333333333 f", "{a,b} cpu 7 f"));
}

TEST_F(GrantViewsTest, MoneyIsInItsCurrencyToTheLastDigit) {
  const absl::Time begin = absl::FromUnixSeconds(1'767'225'600);
  ASSERT_OK(Write([&](Transaction& t) -> absl::Status {
    GrantStore grants(t);
    UsagePoolStore pools(t);
    PriceBookStore prices(t);
    const int32_t c = cluster_.id;
    Grant paid{.name = "chem",
               .accounts = {"a"},
               .tres = "price/eur",
               .begin_time = begin,
               .window_kind = "year",
               .consequence = "none"};
    const int64_t chem = grants.Insert(c, paid).value();
    paid.name = "phys";
    const int64_t phys = grants.Insert(c, paid).value();
    paid.name = "unknown";
    paid.tres = "price/usd";
    const int64_t unknown = grants.Insert(c, paid).value();
    const int64_t pool = pools.Insert(c, {.accounts = {"a"}, .tres = "price/eur"}).value();
    for (const absl::Status& status :
         {prices.Write(c, {.name = "eur", .begin_time = begin, .currency = "EUR"}),
          prices.Write(c, {.name = "eur", .begin_time = begin + absl::Hours(1), .currency = "EUR"}),
          grants.AddVersion(c, {chem, begin, "18000000.0000000000000036", "ann", ""}),
          grants.AddVersion(c, {unknown, begin, "3600", "ann", ""}),
          grants.AddTransfer(c, {chem, phys, begin, "1.2", "ann", ""}),
          pools.ReplacePeriods(c, {pool}, {{pool, begin, absl::InfiniteFuture(), "-0.1"}}),
          BudgetEventStore(t).Append(
              c, {{.threshold =
                       {.account = "a", .tres = "price/eur", .percent = 80, .grant_name = "chem"},
                 .limit_seconds = 7200,
                 .used_seconds = 6000,
                 .reached_at = begin}})}) {
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }));
  EXPECT_THAT(Rows("SELECT concat_ws(' ', grant_name, currency, newest_amount_money) "
                   "FROM priorityd_report.usage_grant ORDER BY grant_name"),
              ElementsAre("chem EUR 5000.000000000000000001", "phys EUR", "unknown"));
  EXPECT_THAT(Rows("SELECT concat_ws(' ', grant_name, currency, amount_money) "
                   "FROM priorityd_report.usage_grant_version ORDER BY grant_name"),
              ElementsAre("chem EUR 5000.000000000000000001", "unknown"));
  EXPECT_THAT(Rows("SELECT concat_ws(' ', currency, amount_money) "
                   "FROM priorityd_report.usage_grant_transfer"),
              ElementsAre("EUR 0.000333333333333333"));
  EXPECT_THAT(Rows("SELECT concat_ws(' ', currency, used_money) "
                   "FROM priorityd_report.grant_owner_usage"),
              ElementsAre("EUR -0.000027777777777777"));
  EXPECT_THAT(Rows("SELECT concat_ws(' ', currency, limit_money, round(used_money::numeric, 3)) "
                   "FROM priorityd_report.budget_event"),
              ElementsAre("EUR 2 1.667"));
}

}  // namespace
}  // namespace priorityd::storage
