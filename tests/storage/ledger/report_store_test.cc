#include "storage/ledger/report_store.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "storage/configuration/association_store.h"
#include "storage/configuration/qos_store.h"
#include "storage/ledger/ledger_scan.h"
#include "storage/ledger/ledger_store.h"
#include "storage/ledger/retention_store.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

// root and account `a`; records run on cpu (1) with a billing rate of 2.
class ReportStoreTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    ids_ = InsertAccounts({{"root", -1}, {"a", 0}, {"a1", 1}});
  }

  // Of account `a`, `micros` long.
  UsageRecord Record(const std::string& record_id, int64_t start, int64_t micros) {
    UsageRecord record;
    record.submitted.source = "s";
    record.submitted.record_id = record_id;
    record.submitted.job_id = "7";
    record.submitted.start_time = Microseconds(start);
    record.submitted.end_time = Microseconds(start + micros);
    record.submitted.tres = {{1, 4}};
    record.association_id = ids_[1];
    record.billing_rate = 2;
    return record;
  }

  void Append(const std::vector<UsageRecord>& batch) {
    std::vector<const UsageRecord*> records;
    for (const UsageRecord& record : batch) records.push_back(&record);
    ASSERT_OK(Write([&](Transaction& transaction) {
      return LedgerStore(transaction).Insert(cluster_.id, records);
    }));
  }

  ReportFilter Filter(const std::vector<int64_t>& edges) {
    ReportFilter filter{.cluster_id = cluster_.id, .max_rows = 100};
    for (const int64_t edge : edges) filter.edges.push_back(Microseconds(edge));
    return filter;
  }
  std::vector<ReportRow> Usage(const ReportFilter& filter) {
    return Read([&](Transaction& t) { return ReportStore(t).Usage(filter); }).value();
  }

  int64_t QosId(const std::string& name) {
    int64_t id = 0;
    EXPECT_OK(Write([&](Transaction& transaction) {
      auto inserted = QosStore(transaction).Insert({.cluster_id = cluster_.id, .name = name});
      if (inserted.ok()) id = *inserted;
      return inserted.status();
    }));
    return id;
  }

  void RollUp(absl::Time horizon) {
    const RollUpPlan plan{.cluster_id = cluster_.id, .horizon = horizon, .hour = absl::UnixEpoch()};
    for (int64_t records = 1, total = 0; records > 0;) {
      ASSERT_OK(Write([&](Transaction& transaction) {
        auto step = RetentionStore(transaction).RollUp(plan, {});
        if (step.ok()) records = (*step)->records;
        return step.status();
      }));
      total += records;
      EXPECT_GT(total, 0);
    }
  }

  static void ExpectClose(const std::vector<ReportRow>& got, const std::vector<ReportRow>& want) {
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(std::tie(got[i].bucket, got[i].account, got[i].user_name, got[i].qos),
                std::tie(want[i].bucket, want[i].account, want[i].user_name, want[i].qos));
      ASSERT_EQ(got[i].tres_seconds.size(), want[i].tres_seconds.size());
      for (size_t t = 0; t < got[i].tres_seconds.size(); ++t) {
        EXPECT_EQ(got[i].tres_seconds[t].tres_id, want[i].tres_seconds[t].tres_id);
        EXPECT_NEAR(got[i].tres_seconds[t].amount, want[i].tres_seconds[t].amount,
                    1e-9 * want[i].tres_seconds[t].amount);
      }
    }
  }

  std::vector<int64_t> ids_;
};

TEST_F(ReportStoreTest, ARecordIsSplitToTheMicrosecond) {
  Append({Record("r", 999'999, 2'000'002)});
  const std::vector<ReportRow> want = {
      {.bucket = 0, .tres_seconds = {{0, 1e-6}, {1, 4e-6}, {5, 2e-6}}},
      {.bucket = 1, .tres_seconds = {{0, 2}, {1, 8}, {5, 4}}},
      {.bucket = 2, .tres_seconds = {{0, 1e-6}, {1, 4e-6}, {5, 2e-6}}}};
  EXPECT_EQ(Usage(Filter({0, 1'000'000, 3'000'000, 4'000'000})), want);
}

TEST_F(ReportStoreTest, WhatLiesOutsideOrHasNoLengthMakesNoRow) {
  Append({Record("before", 0, 10), Record("after", 30, 10), Record("empty", 20, 0)});
  EXPECT_TRUE(Usage(Filter({10, 20, 30})).empty());
}

TEST_F(ReportStoreTest, AReplacedRecordCountsNothing) {
  UsageRecord correction = Record("new", 0, 500'000);
  correction.submitted.replaces_record_id = "old";
  UsageRecord other_source = Record("old", 0, 1'000'000);
  other_source.submitted.source = "other";
  Append({Record("old", 0, 4'000'000), correction, other_source});
  const auto rows = Usage(Filter({0, 10'000'000}));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].tres_seconds[0], (TresAmount{kWallSeconds, 1.5}));
}

TEST_F(ReportStoreTest, ACorrectionAfterTheEndOfTheReportChangesNothing) {
  Append({Record("old", 0, 4'000'000)});
  ReportFilter filter = Filter({0, 10'000'000});
  filter.last_seq = Read([&](Transaction& t) { return LedgerScan(t).End(cluster_.id); }).value();
  UsageRecord correction = Record("new", 0, 500'000);
  correction.submitted.replaces_record_id = "old";
  Append({correction});
  EXPECT_EQ(Usage(filter)[0].tres_seconds[0], (TresAmount{kWallSeconds, 4}));
}

TEST_F(ReportStoreTest, OfCorrectionsOfCorrectionsTheLastCounts) {
  UsageRecord second = Record("2", 0, 2'000'000);
  second.submitted.replaces_record_id = "1";
  UsageRecord third = Record("3", 0, 3'000'000);
  third.submitted.replaces_record_id = "2";
  Append({Record("1", 0, 1'000'000), second, third});
  EXPECT_EQ(Usage(Filter({0, 10'000'000}))[0].tres_seconds[0], (TresAmount{kWallSeconds, 3}));
}

TEST_F(ReportStoreTest, APageBeginsAfterARowWhetherOrNotThatIsThere) {
  std::vector<UsageRecord> records;
  for (int i = 0; i < 5; ++i) records.push_back(Record(std::to_string(i), 10 * i, 10));
  Append(records);
  ReportFilter filter = Filter({0, 10, 20, 30, 40, 50});
  filter.after = {.bucket = 2};
  filter.max_rows = 1;
  ASSERT_EQ(Usage(filter).size(), 1u);
  EXPECT_EQ(Usage(filter)[0].bucket, 3);
  filter.by_account = true;
  filter.after = {.bucket = 2, .account = "Z"};  // By bytes before `a`.
  EXPECT_EQ(Usage(filter)[0].bucket, 2);
  filter.after = {.bucket = 2, .account = "a", .user_name = "b"};
  EXPECT_EQ(Usage(filter)[0].bucket, 3);
  filter.after = {.bucket = 4, .account = "a"};
  EXPECT_TRUE(Usage(filter).empty());
}

// Also what is rolled up; an account's own records are those of no user.
TEST_F(ReportStoreTest, OnlyRecordsOfItsAudienceCount) {
  const int64_t kHour = 3'600'000'000;
  std::vector<UsageRecord> records;
  for (const auto& [user, account] :
       std::vector<std::pair<std::string, int>>{{"amy", 1}, {"ben", 1}, {"", 1}, {"ben", 2}}) {
    records.push_back(Record(absl::StrCat(user, account), 0, 1'000'000));
    records.back().submitted.user_name = user;
    records.back().association_id = ids_[account];
    records.back().submitted.job_id = absl::StrCat(user, account);
  }
  Append(records);
  ReportFilter filter = Filter({0, kHour});
  const auto seconds = [&](const ReportAudience& audience) {
    filter.audience = audience;
    const std::vector<ReportRow> rows = Usage(filter);
    return rows.empty() ? 0 : rows[0].tres_seconds[0].amount;
  };
  const auto expect_all = [&] {
    EXPECT_NEAR(seconds({"amy", {}}), 1, 1e-9);
    EXPECT_NEAR(seconds({"ben", {}}), 2, 1e-9);
    EXPECT_NEAR(seconds({"amy", {"a1"}}), 2, 1e-9);
    EXPECT_NEAR(seconds({"zoe", {"a"}}), 3, 1e-9);
    EXPECT_NEAR(seconds({"", {}}), 0, 1e-9);
    EXPECT_NEAR(seconds({"", {"a", "a1"}}), 4, 1e-9);
  };
  expect_all();
  RollUp(Microseconds(2 * kHour));
  expect_all();
}

TEST_F(ReportStoreTest, RecordsAfterTheLastOneOfTheFirstPageDoNotCount) {
  Append({Record("1", 0, 10), Record("2", 10, 10), Record("3", 20, 10)});
  ReportFilter filter = Filter({0, 50});
  filter.last_seq =
      Read([&](Transaction& t) { return LedgerScan(t).End(cluster_.id); }).value() - 2;
  EXPECT_EQ(Usage(filter)[0].tres_seconds[0].amount, 10e-6);
}

// All rows of a report, page by page; `between` is called after each page.
std::vector<ReportRow> Paged(
    const std::function<std::vector<ReportRow>(const ReportFilter&)>& usage, ReportFilter filter,
    const std::function<void()>& between) {
  std::vector<ReportRow> rows;
  for (;;) {
    const std::vector<ReportRow> page = usage(filter);
    if (page.empty()) return rows;
    rows.insert(rows.end(), page.begin(), page.end());
    filter.after = {page.back().bucket, page.back().account, page.back().user_name,
                    page.back().qos};
    between();
  }
}

TEST_F(ReportStoreTest, ARowThatAppearsBeforeThePlaceMovesNoOther) {
  constexpr int64_t kHour = 3'600'000'000;
  std::vector<UsageRecord> records;
  for (int i = 0; i < 6; ++i) {
    records.push_back(Record(absl::StrCat(i), i * kHour, kHour));
    records.back().submitted.user_name = "m";
  }
  Append(records);
  ReportFilter filter = Filter({0, kHour, 2 * kHour, 3 * kHour, 4 * kHour, 5 * kHour, 6 * kHour});
  filter.by_user = true;
  filter.last_seq = Read([&](Transaction& t) { return LedgerScan(t).End(cluster_.id); }).value();
  const std::vector<ReportRow> whole = Usage(filter);
  ASSERT_EQ(whole.size(), 6u);
  filter.max_rows = 2;
  int late = 0;
  const auto rows = Paged([this](const ReportFilter& f) { return Usage(f); }, filter,
                          [&] {
                            // Once it is rolled up nobody knows any more when it came.
                            UsageRecord record = Record(absl::StrCat("late", late), 0, kHour / 2);
                            record.submitted.user_name = absl::StrCat("a", late++);
                            Append({record});
                            RollUp(Microseconds(kHour));
                          });
  EXPECT_GE(late, 3);
  ExpectClose(rows, whole);
}

TEST_F(ReportStoreTest, SubmittedBillingIsNotThePrice) {
  UsageRecord record = Record("r", 0, 1'000'000);
  record.submitted.tres = {{5, 77}};
  Append({record});
  EXPECT_EQ(Usage(Filter({0, 1'000'000}))[0].tres_seconds,
            (std::vector<TresAmount>{{0, 1}, {5, 2}}));
}

TEST_F(ReportStoreTest, DeletedAccountsStandWhereTheyStood) {
  ASSERT_OK(Write([&](Transaction& transaction) {
    return AssociationStore(transaction).Delete(cluster_.id, {ids_[2]}, Microseconds(5));
  }));
  const auto accounts =
      Read([&](Transaction& t) { return ReportStore(t).Accounts(cluster_.id); }).value();
  EXPECT_EQ(accounts, (std::vector<AccountParent>{{"a", "root"}, {"a1", "a"}, {"root", ""}}));
}

TEST_F(ReportStoreTest, TheLatestEndOfEachJobIsFound) {
  UsageRecord nameless = Record("n", 0, 900);
  nameless.submitted.job_id = "";
  UsageRecord old = Record("old", 0, 10);
  old.submitted.job_id = "8";
  Append({Record("1", 0, 100), Record("2", 100, 100), nameless, old});
  const auto ends = Read(
      [&](Transaction& t) { return ReportStore(t).LatestEnds(cluster_.id, Microseconds(50)); });
  EXPECT_EQ(*ends, (std::vector<JobEnd>{{"7", Microseconds(200)}}));
}

TEST_F(ReportStoreTest, AReplacedRecordIsNobodysLatestEnd) {
  UsageRecord correction = Record("new", 0, 300);
  correction.submitted.replaces_record_id = "old";
  Append({Record("old", 0, 900), correction});
  const auto ends = Read(
      [&](Transaction& t) { return ReportStore(t).LatestEnds(cluster_.id, Microseconds(50)); });
  EXPECT_EQ(*ends, (std::vector<JobEnd>{{"7", Microseconds(300)}}));
}

// A year of records in the order of time, and what a report of one day reads of them.
constexpr char kYear[] =
    "INSERT INTO priorityd.usage_record (cluster_id, source, record_id, job_id, user_name, "
    "account, "
    "partition, qos, start_time, end_time, tres_ids, tres_counts, replaces_record_id, "
    "association_id, billing_rate, usage_factor) SELECT $1, 's', 'r' || i, '', '', 'a', '', '', "
    "t - interval '1 hour', t, '{1}', '{1}', '', $2, 1, 1 FROM generate_series(1, 100000) i "
    "CROSS JOIN LATERAL (SELECT timestamptz '2026-01-01Z' + i * interval '5 minutes' AS t) AS x";
constexpr char kSummarize[] =
    "SELECT brin_summarize_new_values('priorityd.usage_record_time'::regclass)";
constexpr char kAnalyze[] = "ANALYZE priorityd.usage_record";
// What workers of a parallel scan read is counted elsewhere.
constexpr char kAlone[] = "SET LOCAL max_parallel_workers_per_gather = 0";
constexpr char kRowsRead[] =
    "SELECT pg_stat_get_xact_tuples_fetched('priorityd.usage_record'::regclass) + "
    "pg_stat_get_xact_tuples_returned('priorityd.usage_record'::regclass)";

TEST_F(ReportStoreTest, AReportOfADayDoesNotReadTheYear) {
  ASSERT_OK(Write([&](Transaction& transaction) {
    absl::Status done = transaction.Execute(kYear, {cluster_.id, ids_[1]}).status();
    if (done.ok()) done = transaction.Execute(kSummarize).status();
    if (done.ok()) done = transaction.Execute(kAnalyze).status();
    return done;
  }));
  ReportFilter filter = Filter({});
  filter.edges = {absl::FromCivil(absl::CivilDay(2026, 6, 1), absl::UTCTimeZone()),
                  absl::FromCivil(absl::CivilDay(2026, 6, 2), absl::UTCTimeZone())};
  const auto read = Read([&](Transaction& transaction) -> absl::StatusOr<int64_t> {
    if (absl::Status alone = transaction.ExecuteScript(kAlone); !alone.ok()) return alone;
    // What was read shortly before on this connection counts too.
    const auto before = transaction.QueryOne(OnlyColumn<int64_t>, kRowsRead);
    if (!before.ok()) return before.status();
    auto rows = ReportStore(transaction).Usage(filter);
    if (!rows.ok()) return rows.status();
    EXPECT_EQ(rows->size(), 1u);
    // At each moment 12 records run.
    EXPECT_DOUBLE_EQ((*rows)[0].tres_seconds[0].amount, 12 * 86400.);
    const auto after = transaction.QueryOne(OnlyColumn<int64_t>, kRowsRead);
    if (!after.ok()) return after.status();
    return *after - *before;
  });
  EXPECT_GT(*read, 288);
  EXPECT_LT(*read, 10'000);
}

// As exactly as before, since the edges are hours.
TEST_F(ReportStoreTest, WhatIsRolledUpIsReportedAsBefore) {
  constexpr int64_t kHour = 3'600'000'000;
  std::mt19937_64 random(20261120);
  std::vector<UsageRecord> records;
  const int64_t qos = QosId("q");
  for (int i = 0; i < 300; ++i) {
    records.push_back(Record(absl::StrCat(i), static_cast<int64_t>(random() % (40 * kHour)),
                             static_cast<int64_t>(random() % (9 * kHour))));
    UsageRecord& record = records.back();
    record.submitted.tres = {{1, 1.0 + random() % 8}, {static_cast<int32_t>(2 + i % 2), 0.25 * i}};
    record.submitted.user_name = absl::StrCat("u", i % 3);
    record.association_id = ids_[random() % ids_.size()];
    record.usage_factor = i % 4 * 0.5;
    if (i % 5 == 0) record.qos_id = qos;
    if (i % 7 == 1) record.submitted.replaces_record_id = absl::StrCat(i - 1);
  }
  Append(records);
  ReportFilter filter = Filter({0, 10 * kHour, 11 * kHour, 34 * kHour, 100 * kHour});
  filter.by_account = filter.by_user = filter.by_qos = true;
  ReportFilter with_factor = filter;
  with_factor.apply_usage_factor = true;
  with_factor.accounts = {"a", "a1"};
  const std::vector<ReportRow> before = Usage(filter), before_with_factor = Usage(with_factor);
  ASSERT_GT(before.size(), 40u);
  RollUp(Microseconds(20 * kHour));
  ExpectClose(Usage(filter), before);
  RollUp(Microseconds(30 * kHour));
  ExpectClose(Usage(filter), before);
  ExpectClose(Usage(with_factor), before_with_factor);
}

}  // namespace
}  // namespace priorityd::storage
