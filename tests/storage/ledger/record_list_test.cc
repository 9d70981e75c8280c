#include "storage/ledger/record_list.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "storage/configuration/association_store.h"
#include "storage/configuration/qos_store.h"
#include "storage/ledger/job_accounting_store.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

using Ids = std::vector<std::string>;

// Accounts a and b, and a QOS.
class RecordListTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    ids_ = InsertAccounts({{"root", -1}, {"a", 0}, {"b", 0}});
    const auto qos = Write([&](Transaction& transaction) {
      return QosStore(transaction).Insert({.cluster_id = cluster_.id, .name = "long"});
    });
    ASSERT_OK(qos);
    qos_ = *qos;
  }

  // Of amy in account a, from 0 s to `end` s.
  UsageRecord Record(const std::string& id, int end, const std::string& job_id = "") {
    UsageRecord record;
    record.submitted.source = "s";
    record.submitted.record_id = id;
    record.submitted.job_id = job_id;
    record.submitted.user_name = "amy";
    record.submitted.start_time = absl::FromUnixSeconds(0);
    record.submitted.end_time = absl::FromUnixSeconds(end);
    record.submitted.tres = {{1, 4}};
    record.association_id = ids_[1];
    record.qos_id = qos_;
    record.billing_rate = 2.5;
    return record;
  }

  static std::shared_ptr<const JobAccounting> Job(const std::string& state) {
    return std::make_shared<const JobAccounting>(
        JobAccounting{.state = state,
                      .start_time = absl::FromUnixSeconds(0),
                      .end_time = absl::FromUnixSeconds(9)});
  }

  void Insert(const std::vector<UsageRecord>& records) {
    std::vector<const UsageRecord*> pointers;
    for (const UsageRecord& record : records) pointers.push_back(&record);
    ASSERT_OK(Write([&](Transaction& t) {
      absl::Status done = LedgerStore(t).Insert(cluster_.id, pointers);
      if (done.ok()) done = JobAccountingStore(t).Insert(cluster_.id, pointers);
      return done;
    }));
  }

  std::vector<ListedRecord> List(RecordFilter filter) {
    filter.cluster_id = cluster_.id;
    if (filter.limit == 0) filter.limit = 100;
    return Read([&](Transaction& t) { return ListRecords(t, filter); }).value();
  }
  Ids IdsOf(const RecordFilter& filter) {
    Ids ids;
    for (const ListedRecord& listed : List(filter))
      ids.push_back(listed.record.submitted.record_id);
    return ids;
  }

  std::vector<int64_t> ids_;
  int64_t qos_ = 0;
};

TEST_F(RecordListTest, ARecordIsReadAsItWasWrittenWithAllFactsAboutItsJob) {
  UsageRecord record = Record("1", 9, "7");
  record.job = std::make_shared<const JobAccounting>(
      JobAccounting{.state = "CANCELLED",
                    .exit_code = 1,
                    .exit_signal = 15,
                    .submit_time = Microseconds(-7),
                    .eligible_time = Microseconds(-5),
                    .start_time = Microseconds(-1),
                    .end_time = absl::FromUnixSeconds(12),
                    .time_limit = absl::Seconds(315'576'000'000),
                    .total_cpu = 1.0 / 3,
                    .max_rss = 0.1,
                    .req_cpus = 8,
                    .req_mem = 4000,
                    .node_list = "n[1-2],\"\\{x}"});
  Insert({record, Record("2", 10)});
  const auto listed = List({});
  ASSERT_EQ(listed.size(), 2u);
  EXPECT_EQ(listed[0].record.submitted, record.submitted);
  EXPECT_EQ(*listed[0].record.job, *record.job);
  EXPECT_EQ(listed[0].account, "a");
  EXPECT_EQ(listed[0].qos, "long");
  EXPECT_EQ(listed[0].record.billing_rate, 2.5);
  EXPECT_EQ(listed[1].record.job, nullptr);
}

TEST_F(RecordListTest, AMissingFactIsReadAsMissing) {
  UsageRecord record = Record("1", 9, "7");
  const JobAccounting nothing = {.start_time = absl::FromUnixSeconds(0),
                                 .end_time = absl::FromUnixSeconds(9)};
  record.job = std::make_shared<const JobAccounting>(nothing);
  Insert({record});
  EXPECT_EQ(*List({}).at(0).record.job, nothing);
}

TEST_F(RecordListTest, PagesGoByEndAndThenByTheOrderOfAcceptance) {
  Insert({Record("late", 30)});
  Insert({Record("x", 20)});
  Insert({Record("b", 20)});
  Insert({Record("early", 10)});
  Ids ids;
  RecordFilter filter{.limit = 1};
  for (;;) {
    const auto page = List(filter);
    if (page.empty()) break;
    ASSERT_EQ(page.size(), 1u);
    ids.push_back(page[0].record.submitted.record_id);
    filter.after = {page[0].record.submitted.end_time, page[0].seq};
  }
  EXPECT_EQ(ids, (Ids{"early", "x", "b", "late"}));
}

TEST_F(RecordListTest, EachFilterLeavesOutTheOthers) {
  UsageRecord of_b = Record("b", 20, "8");
  of_b.association_id = ids_[2];
  of_b.submitted.user_name = "ben";
  UsageRecord told = Record("told", 10, "7");
  told.job = Job("COMPLETED");
  Insert({told, of_b, Record("untold", 30, "7")});
  const auto at = [](int s) { return absl::FromUnixSeconds(s); };
  EXPECT_EQ(IdsOf({.ended_from = at(20)}), (Ids{"b", "untold"}));
  EXPECT_EQ(IdsOf({.ended_before = at(20)}), (Ids{"told"}));
  EXPECT_EQ(IdsOf({.job_ids = {"7", "9"}}), (Ids{"told", "untold"}));
  EXPECT_EQ(IdsOf({.accounts = {"b"}}), (Ids{"b"}));
  EXPECT_EQ(IdsOf({.users = {"amy"}}), (Ids{"told", "untold"}));
  EXPECT_EQ(IdsOf({.with_job = true}), (Ids{"told"}));
  EXPECT_EQ(IdsOf({.job_ids = {"7"}, .with_job = true}), (Ids{"told"}));
  EXPECT_EQ(IdsOf({.job_ids = {"8"}, .with_job = true}), (Ids{}));
  EXPECT_EQ(IdsOf({.audience = ReportAudience{"ben", {}}}), (Ids{"b"}));
  EXPECT_EQ(IdsOf({.audience = ReportAudience{"", {"a"}}}), (Ids{"told", "untold"}));
  EXPECT_EQ(IdsOf({.audience = ReportAudience{"", {}}}), (Ids{}));
}

TEST_F(RecordListTest, ARecordThatAnotherOneReplacesIsNotThere) {
  UsageRecord wrong = Record("1", 10, "7");
  wrong.job = Job("COMPLETED");
  UsageRecord right = Record("2", 8, "7");
  right.submitted.replaces_record_id = "1";
  Insert({wrong, right});
  EXPECT_EQ(IdsOf({}), (Ids{"2"}));
  EXPECT_EQ(IdsOf({.with_job = true}), (Ids{}));
  EXPECT_EQ(IdsOf({.job_ids = {"7"}, .with_job = true}), (Ids{}));
}

// What an older program rolled up, which does not know the table.
TEST_F(RecordListTest, WhatIsLeftOfARecordThatIsGoneIsNotTheNextOnesOfItsName) {
  UsageRecord first = Record("1", 10, "7");
  first.job = Job("COMPLETED");
  Insert({first});
  ASSERT_OK(Write(
      [](Transaction& t) { return t.Execute("DELETE FROM priorityd.usage_record").status(); }));
  Insert({Record("1", 20, "7")});
  EXPECT_EQ(List({}).at(0).record.job, nullptr);
  EXPECT_EQ(IdsOf({.job_ids = {"7"}, .with_job = true}), (Ids{}));
}

TEST_F(RecordListTest, APageOfANewClusterReadsItsOwnRowsOnly) {
  std::vector<UsageRecord> records;
  for (int i = 0; i < 1000; ++i) {
    records.push_back(Record(absl::StrCat(i), 1 + i, absl::StrCat("job", i)));
    records.back().job = Job("COMPLETED");
  }
  Insert(records);
  BecomeNewCluster();
  ids_ = InsertAccounts({{"root", -1}, {"a", 0}});
  for (UsageRecord& record : records) record.association_id = ids_[1];
  Insert(records);
  const auto rows_read = [&](const char* table, const RecordFilter& filter) {
    return RowsRead(table, [&](Transaction& transaction) {
      const auto page = ListRecords(transaction, filter);
      if (page.ok()) {
        EXPECT_EQ(page->size(), 50u);
      }
      return page.status();
    });
  };
  RecordFilter filter{.cluster_id = cluster_.id, .limit = 50};
  EXPECT_LE(rows_read("priorityd.job_accounting", filter), 100);
  filter.with_job = true;
  EXPECT_LE(rows_read("priorityd.job_accounting", filter), 100);
  for (int i = 0; i < 50; ++i) filter.job_ids.push_back(absl::StrCat("job", i * 20));
  EXPECT_LE(rows_read("priorityd.usage_record", filter), 100);
}

}  // namespace
}  // namespace priorityd::storage
