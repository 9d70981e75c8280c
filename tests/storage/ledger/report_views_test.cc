// The views of the schema priorityd_report, which dashboards read: what they say, who may read
// them, and that docs/reports-sql.md describes what is there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "storage/configuration/association_store.h"
#include "storage/grants/budget_event_store.h"
#include "storage/ledger/ledger_store.h"
#include "storage/ledger/report_store.h"
#include "storage/ledger/retention_store.h"
#include "storage/snapshots/factor_history_store.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAreArray;

constexpr char kAsReader[] = "SET LOCAL ROLE priorityd_report; SET LOCAL TimeZone = 'UTC'";
constexpr char kReportViews[] =
    "SELECT viewname::text FROM pg_views WHERE schemaname = 'priorityd_report' ORDER BY 1";
constexpr char kColumns[] =
    "SELECT c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) "
    "FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 "
    "WHERE c.relnamespace = 'priorityd_report'::regnamespace AND c.relkind = 'v'";
constexpr char kTables[] =
    "SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n "
    "ON n.oid = c.relnamespace WHERE n.nspname = 'priorityd' AND c.relkind IN ('r', 'v')";

// `view.column type` of each row of the page's tables, below the heading that names the view.
std::vector<std::string> ColumnsOfThePage() {
  std::ifstream file("docs/reports-sql.md");
  std::vector<std::string> columns;
  std::string view;
  for (std::string line; std::getline(file, line);) {
    if (absl::StartsWith(line, "### ")) view = line.substr(4);
    if (!absl::StartsWith(line, "| `")) continue;
    const std::vector<std::string> cells = absl::StrSplit(line, '|');
    const std::vector<std::string> name = absl::StrSplit(cells[1], '`');
    const absl::string_view type = absl::StripAsciiWhitespace(cells[2]);
    columns.push_back(absl::StrCat(view, ".", name[1], " ",
                                   type == "timestamptz" ? "timestamp with time zone" : type));
  }
  return columns;
}

class ReportViewsTest : public StoreTest {
 protected:
  // root, account `a` with user `amy` in it, and account `b`, whose shares are `parent`.
  void SetUp() override {
    StoreTest::SetUp();
    ASSERT_OK(Write([&](Transaction& transaction) {
      AssociationStore store(transaction);
      ids_ = store.ReserveIds(4).value();
      const int32_t c = cluster_.id;
      std::vector<Association> rows = {
          {.id = ids_[0], .cluster_id = c, .account = "root", .raw_shares = 1},
          {.id = ids_[1], .cluster_id = c, .parent_id = ids_[0], .account = "a", .raw_shares = 3},
          {.id = ids_[2], .cluster_id = c, .parent_id = ids_[0], .account = "b"},
          {.id = ids_[3],
           .cluster_id = c,
           .parent_id = ids_[1],
           .account = "a",
           .user_name = "amy",
           .raw_shares = 5}};
      return store.Insert(rows);
    }));
  }

  void Do(const std::string& statements) {
    ASSERT_OK(Write([&](Transaction& t) { return t.ExecuteScript(statements.c_str()); }));
  }

  // What a dashboard reads: the first column of each row, as text.
  absl::StatusOr<std::vector<std::string>> ReadAs(const char* who, const std::string& query) {
    return database_.Read([&](Transaction& t) -> absl::StatusOr<std::vector<std::string>> {
      if (absl::Status s = t.ExecuteScript(who); !s.ok()) return s;
      return t.Query(OnlyColumn<std::string>, query.c_str());
    });
  }
  std::vector<std::string> Rows(const std::string& query) {
    const auto rows = ReadAs(kAsReader, query);
    EXPECT_OK(rows);
    return rows.value_or(std::vector<std::string>());
  }

  void Append(const std::vector<UsageRecord>& batch) {
    std::vector<const UsageRecord*> records;
    for (const UsageRecord& record : batch) records.push_back(&record);
    ASSERT_OK(Write([&](Transaction& transaction) {
      return LedgerStore(transaction).Insert(cluster_.id, records);
    }));
  }

  std::vector<int64_t> ids_;
};

TEST_F(ReportViewsTest, TheRoleReadsEachViewAndNothingElse) {
  const std::vector<std::string> views =
      Read([](Transaction& t) { return t.Query(OnlyColumn<std::string>, kReportViews); }).value();
  EXPECT_EQ(views.size(), 16u);
  for (const std::string& view : views) {
    // A day is asked for, or each since 2000 would be looked for.
    const std::string where =
        view == "usage_by_day" ? " WHERE day > now() - interval '9 days'" : "";
    EXPECT_OK(ReadAs(kAsReader,
                     absl::StrCat("SELECT count(*)::text FROM priorityd_report.", view, where)));
    const absl::Status deletion = Write([&](Transaction& t) {
      return t.ExecuteScript(
          absl::StrCat(kAsReader, "; DELETE FROM priorityd_report.", view).c_str());
    });
    EXPECT_FALSE(deletion.ok()) << view;
  }
  const auto tables =
      Read([](Transaction& t) { return t.Query(OnlyColumn<std::string>, kTables); }).value();
  ASSERT_GT(tables.size(), 30u);
  for (const std::string& table : tables) {
    EXPECT_FALSE(ReadAs(kAsReader, absl::StrCat("SELECT count(*)::text FROM ", table)).ok())
        << table;
  }
  EXPECT_THAT(Read([](Transaction& t) {
                return t.Query(OnlyColumn<std::string>,
                               "SELECT has_schema_privilege('priorityd_report', 'priorityd', "
                               "'USAGE')::text");
              }).value(),
              ElementsAre("false"));
}

TEST_F(ReportViewsTest, ThePageDescribesEachColumnThatThereIs) {
  const auto columns =
      Read([](Transaction& t) { return t.Query(OnlyColumn<std::string>, kColumns); }).value();
  EXPECT_THAT(ColumnsOfThePage(), UnorderedElementsAreArray(columns));
}

TEST_F(ReportViewsTest, SharesAreThoseSetWithTheNumbersOfTheLastSample) {
  for (const double usage : {100.0, 400.0}) {
    const absl::Time at = absl::FromUnixSeconds(static_cast<int64_t>(usage));
    const std::vector<FactorSample> samples = {
        {ids_[0], at, usage, 1}, {ids_[1], at, usage / 4, 0}, {ids_[3], at, usage / 4, 0.5}};
    ASSERT_OK(Write(
        [&](Transaction& t) { return FactorHistoryStore(t).Sample(cluster_.id, 1, at, samples); }));
  }
  EXPECT_THAT(Rows("SELECT concat_ws(' ', parent_account, account, user_name, raw_shares, "
                   "parent_shares, extract(epoch FROM sampled_at)::int, raw_usage, norm_usage, "
                   "fair_share) "
                   "FROM priorityd_report.share ORDER BY association_id"),
              testing::ElementsAre(" root  1 f 400 400 1 1", "root a  3 f 400 100 0.25 0",
                                   "root b  t 400", "a a amy 5 f 400 100 0.25 0.5"));
  EXPECT_THAT(Rows("SELECT concat_ws(' ', extract(epoch FROM sampled_at)::int, norm_usage) "
                   "FROM priorityd_report.share_history WHERE user_name = 'amy' "
                   "ORDER BY sampled_at"),
              testing::ElementsAre("100 0.25", "400 0.25"));
}

// `b` takes no part in its level; its members take its place there.
TEST_F(ReportViewsTest, AllocationsArePartsOfTheWholeCluster) {
  Do(
      absl::StrCat("INSERT INTO priorityd.association (cluster_id, parent_id, account, user_name, "
                   "raw_shares) VALUES (",
                   cluster_.id, ", ", ids_[2], ", 'b', 'ben', 1), (", cluster_.id, ", ", ids_[1],
                   ", 'a', 'cat', 15), (", cluster_.id, ", ", ids_[1], ", 'a', 'dan', NULL)"));
  EXPECT_THAT(Rows("SELECT concat_ws(' ', account, user_name, path_norm_shares) "
                   "FROM priorityd_report.allocation ORDER BY 1"),
              testing::ElementsAre("a  0.75", "a amy 0.1875", "a cat 0.5625", "a dan 0.75", "b  1",
                                   "b ben 0.25", "root  1"));
}

TEST_F(ReportViewsTest, ALimitOnUsageHasTheLastThresholdThatWasReached) {
  Do(
      absl::StrCat("UPDATE priorityd.association SET grp_tres_mins_names = '{cpu,mem}', "
                   "grp_tres_mins_amounts = '{10,20}', grp_wall_minutes = 30 WHERE id = ",
                   ids_[1],
                   "; INSERT INTO priorityd.qos (cluster_id, name, grp_tres_mins_names, "
                   "grp_tres_mins_amounts) VALUES (",
                   cluster_.id, ", 'high', '{billing}', '{1}')"));
  std::vector<BudgetEvent> events;
  for (const int percent : {50, 80}) {
    events.push_back({.threshold = {"a", "", "", "", "cpu", percent},
                      .limit_seconds = 600,
                      .used_seconds = 6.0 * percent,
                      .reached_at = absl::FromUnixSeconds(percent)});
  }
  events.push_back({.threshold = {"a", "", "", "", "", 100},
                    .limit_seconds = 1800,
                    .used_seconds = 1801,
                    .reached_at = absl::FromUnixSeconds(100)});
  ASSERT_OK(Write([&](Transaction& t) { return BudgetEventStore(t).Append(cluster_.id, events); }));
  EXPECT_THAT(Rows("SELECT concat_ws(' ', account, qos, tres, limit_seconds, reached_percent, "
                   "reached_used_seconds) FROM priorityd_report.budget ORDER BY 1"),
              testing::ElementsAre(" high billing 60", "a  cpu 600 80 480", "a  mem 1200",
                                   "a  wall 1800 100 1801"));
  EXPECT_THAT(Rows("SELECT tres || percent FROM priorityd_report.budget_event ORDER BY id"),
              testing::ElementsAre("cpu50", "cpu80", "wall100"));
}

TEST_F(ReportViewsTest, AJobIsOfItsUsersDefaultAccountWhereItNamesNone) {
  Do(absl::StrCat(
      "INSERT INTO priorityd.cluster_user (cluster_id, name, default_account) VALUES (",
      cluster_.id, ", 'amy', 'a'); INSERT INTO priorityd.job_queue (cluster_id) VALUES (",
      cluster_.id,
      "); INSERT INTO priorityd.job (cluster_id, job_id, change, source, name, user_name, account, "
      "partitions, qos, state, ended_as, end_time, hold, dependency, told_dependency_unmet, "
      "dependency_unmet, submit_time, accrue_time, nodes, cpus, tres_names, tres_counts, "
      "time_limit_us, nice, site_factor, reservation, array_tasks) SELECT ",
      cluster_.id,
      ", i::text, i, 's', '<b>', 'amy', CASE i WHEN 2 THEN 'b' ELSE '' END, '{main}', '{}', "
      "'PENDING', CASE i WHEN 3 THEN 'FAILED' ELSE '' END, CASE i WHEN 3 THEN now() END, '', '', "
      "false, false, now(), now(), 1, 2, '{mem}', '{512}', 90000000, 0, 0, '', 1 "
      "FROM generate_series(1, 3) AS i"));
  EXPECT_THAT(Rows("SELECT concat_ws(' ', job_id, account, time_limit, tres ->> 'mem', name) "
                   "FROM priorityd_report.job ORDER BY job_id"),
              testing::ElementsAre("1 a 00:01:30 512 <b>", "2 b 00:01:30 512 <b>"));
}

TEST_F(ReportViewsTest, OfAClusterThatIsBeingDeletedThereIsNothing) {
  EXPECT_EQ(Rows("SELECT cluster FROM priorityd_report.share").size(), 4u);
  Do("UPDATE priorityd.cluster SET former_name = name, name = chr(1)");
  for (const char* view : {"share", "cluster", "usage_by_day"}) {
    EXPECT_THAT(Rows(absl::StrCat("SELECT cluster FROM priorityd_report.", view)), IsEmpty());
  }
}

// --- Usage --------------------------------------------------------------------------------------

// A line of usage: the day it is of, account, user, TRES.
using UsageKey = std::tuple<std::string, std::string, std::string, std::string>;

struct UsageLine {
  UsageKey key;
  double seconds = 0;
};

UsageLine DecodeUsage(RowReader& row) {
  UsageLine line;
  row.Read(&std::get<0>(line.key), &std::get<1>(line.key), &std::get<2>(line.key),
           &std::get<3>(line.key), &line.seconds);
  return line;
}

// The days from 22 October 2023 on that `zone` has; clocks go back there on the 29th.
std::vector<absl::Time> Days(absl::TimeZone zone) {
  std::vector<absl::Time> days;
  for (int i = 0; i <= 14; ++i) {
    days.push_back(absl::FromCivil(absl::CivilDay(2023, 10, 22) + i, zone));
  }
  return days;
}

class UsageByDayTest : public ReportViewsTest {
 protected:
  // Of two weeks, a fourth of them corrections; some of no length, some of several days.
  void AppendSomeRecords() {
    std::mt19937_64 random(7);
    const absl::Time begin = Days(zone_).front();
    std::vector<UsageRecord> records;
    for (int i = 0; i < 400; ++i) {
      UsageRecord record;
      record.submitted.source = "s";
      record.submitted.record_id = absl::StrCat(i);
      record.submitted.user_name = i % 3 == 0 ? "amy" : "ben";
      if (i % 4 == 3) record.submitted.replaces_record_id = absl::StrCat(i - 1);
      record.submitted.start_time = begin + absl::Microseconds(random() % 1'100'000'000'000);
      record.submitted.end_time = record.submitted.start_time +
                                  absl::Microseconds(i % 9 == 0 ? 0 : random() % 150'000'000'000);
      record.submitted.tres = {{1, 1.0 + i % 5}, {5, 1000}};
      record.association_id = ids_[i % 2 == 0 ? 1 : 3];
      record.billing_rate = 0.5 * (i % 7);
      records.push_back(record);
    }
    Append(records);
  }

  void RollUpTheFirstWeek() {
    const RollUpPlan plan{.cluster_id = cluster_.id,
                          .horizon = Days(zone_)[7] + absl::Minutes(17),
                          .hour = absl::UnixEpoch()};
    ASSERT_OK(Write([&](Transaction& t) { return RetentionStore(t).RollUp(plan, {}).status(); }));
  }

  // As reports have it.
  std::map<UsageKey, double> Reported() {
    ReportFilter filter{.cluster_id = cluster_.id, .by_account = true, .by_user = true};
    filter.edges = Days(zone_);
    filter.max_rows = 10'000;
    const auto rows = Read([&](Transaction& t) { return ReportStore(t).Usage(filter); }).value();
    std::map<UsageKey, double> lines;
    for (const ReportRow& row : rows) {
      const std::string day = absl::FormatTime("%Y-%m-%d", filter.edges[row.bucket], zone_);
      for (const TresAmount& amount : row.tres_seconds) {
        const std::string tres = amount.tres_id == kWallSeconds ? "wall"
                                 : amount.tres_id == 1          ? "cpu"
                                                                : "billing";
        lines[{day, row.account, row.user_name, tres}] = amount.amount;
      }
    }
    return lines;
  }

  // As the view has it.
  std::map<UsageKey, double> Shown() {
    const std::string session =
        absl::StrCat("SET LOCAL ROLE priorityd_report; SET LOCAL TimeZone = '", zone_.name(), "'");
    const auto rows = Read([&](Transaction& t) -> absl::StatusOr<std::vector<UsageLine>> {
                        if (absl::Status s = t.ExecuteScript(session.c_str()); !s.ok()) return s;
                        return t.Query(DecodeUsage,
                                       "SELECT day::date::text, account, user_name, tres, "
                                       "tres_seconds FROM priorityd_report.usage_by_day "
                                       "WHERE day >= '2023-10-22' AND day < '2023-11-05'");
                      }).value();
    std::map<UsageKey, double> lines;
    for (const UsageLine& row : rows) {
      EXPECT_TRUE(lines.emplace(row.key, row.seconds).second);
    }
    return lines;
  }

  void ExpectShownAsReported() {
    const std::map<UsageKey, double> want = Reported(), got = Shown();
    ASSERT_GT(want.size(), 50u);
    EXPECT_EQ(got.size(), want.size());
    for (const auto& [key, seconds] : want) {
      const auto found = got.find(key);
      ASSERT_NE(found, got.end()) << std::get<0>(key) << " " << std::get<3>(key);
      EXPECT_NEAR(found->second, seconds, 1e-6 + 1e-9 * seconds) << std::get<0>(key);
    }
  }

  absl::TimeZone zone_ = absl::UTCTimeZone();
};

TEST_F(UsageByDayTest, ItIsWhatReportsSayAlsoOfWhatIsRolledUp) {
  AppendSomeRecords();
  ExpectShownAsReported();
  RollUpTheFirstWeek();
  ExpectShownAsReported();
}

TEST_F(UsageByDayTest, DaysAreThoseOfTheSessionsTimeZone) {
  ASSERT_TRUE(absl::LoadTimeZone("Europe/Berlin", &zone_));
  AppendSomeRecords();
  ExpectShownAsReported();
}

TEST_F(UsageByDayTest, ADayReadsTheRecordsOfThatDayAndNoOthers) {
  Do(absl::StrCat(
      "INSERT INTO priorityd.usage_record (cluster_id, source, record_id, job_id, user_name, "
      "account, partition, qos, start_time, end_time, tres_ids, tres_counts, replaces_record_id, "
      "association_id, billing_rate, usage_factor) SELECT ",
      cluster_.id,
      ", 's', i::text, '', 'amy', 'a', '', '', t, t + interval '1 hour', '{1}', '{1}', '', ",
      ids_[3],
      ", 1, 1 FROM generate_series(1, 100000) AS i, "
      "LATERAL (SELECT timestamptz '2023-01-01 00:00Z' + i * interval '5 minutes' AS t) AS at"));
  Do("ANALYZE priorityd.usage_record; "
     "SELECT brin_summarize_new_values('priorityd.usage_record_time')");
  const std::vector<std::string> plan = Rows(
      "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) SELECT sum(tres_seconds) "
      "FROM priorityd_report.usage_by_day WHERE cluster = 'test' AND tres = 'cpu' "
      "AND day >= '2023-07-01' AND day < '2023-07-08'");
  EXPECT_THAT(plan, Each(Not(HasSubstr("Seq Scan on usage_record")))) << absl::StrJoin(plan, "\n");
  // 288 records a day begin, and eleven more reach into the week from before it.
  EXPECT_THAT(Rows("SELECT sum(tres_seconds) FROM priorityd_report.usage_by_day WHERE "
                   "cluster = 'test' AND tres = 'cpu' AND day >= '2023-07-01' AND day < "
                   "'2023-07-08'"),
              testing::ElementsAre(absl::StrCat(7 * 288 * 3600)));
}

}  // namespace
}  // namespace priorityd::storage
