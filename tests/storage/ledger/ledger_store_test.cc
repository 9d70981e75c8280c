#include "storage/ledger/ledger_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "storage/configuration/association_store.h"
#include "storage/configuration/qos_store.h"
#include "storage/ledger/usage_store.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

// A cluster with ten associations and one QOS.
class LedgerStoreTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    ASSERT_OK(Write([&](Transaction& transaction) {
      AssociationStore store(transaction);
      associations_ = store.ReserveIds(10).value();
      std::vector<Association> rows(10);
      for (size_t i = 0; i < rows.size(); ++i) {
        rows[i] = {.id = associations_[i], .cluster_id = cluster_.id};
        rows[i].account = i == 0 ? "root" : absl::StrCat("account", i);
        if (i > 0) rows[i].parent_id = associations_[0];
      }
      qos_ = QosStore(transaction).Insert({.cluster_id = cluster_.id, .name = "q"}).value();
      return store.Insert(rows);
    }));
  }

  // A record that counts 1.
  UsageRecord Record(const std::string& record_id, size_t association = 1) {
    UsageRecord record;
    record.submitted.source = "collector";
    record.submitted.record_id = record_id;
    record.submitted.start_time = Microseconds(1700000000000001);
    record.submitted.end_time = Microseconds(1700000060000002);
    record.submitted.tres = {{1, 4}, {2, 1024}};
    record.association_id = associations_[association];
    record.billing_rate = 1;
    return record;
  }

  absl::Status Insert(const std::vector<UsageRecord>& batch) {
    std::vector<const UsageRecord*> records;
    for (const UsageRecord& record : batch) records.push_back(&record);
    return Write([&](Transaction& t) { return LedgerStore(t).Insert(cluster_.id, records); });
  }
  // By record_id.
  std::vector<HeldRecord> Find(const std::vector<UsageRecord>& records) {
    std::vector<RecordKey> keys;
    for (const UsageRecord& record : records) keys.push_back(KeyOf(record.submitted));
    auto held = Read([&](Transaction& t) { return LedgerStore(t).Find(cluster_.id, keys); });
    std::sort(held->begin(), held->end(), [](const HeldRecord& a, const HeldRecord& b) {
      return a.record.submitted.record_id < b.record.submitted.record_id;
    });
    return *std::move(held);
  }
  std::vector<UsageRecord> Ledger() {
    std::vector<UsageRecord> records;
    auto entries =
        Read([&](Transaction& t) { return LedgerStore(t).List(cluster_.id, 0, 1000000); });
    for (const LedgerEntry& entry : *entries) records.push_back(entry.record);
    return records;
  }
  std::vector<int64_t> associations_;
  int64_t qos_ = 0;
};

// A correction of record `target`.
UsageRecord Correcting(UsageRecord record, const std::string& target) {
  record.submitted.replaces_record_id = target;
  return record;
}

TEST_F(LedgerStoreTest, WhatIsInsertedIsFoundByItsKey) {
  UsageRecord elsewhere = Record("a");
  elsewhere.submitted.source = "another";
  ASSERT_OK(Insert({Record("b"), Record("a")}));
  EXPECT_EQ(Find({Record("a"), elsewhere}), (std::vector<HeldRecord>{{Record("a"), false}}));
  ASSERT_OK(Insert({elsewhere}));
  EXPECT_EQ(Find({elsewhere}), (std::vector<HeldRecord>{{elsewhere, false}}));
}

TEST_F(LedgerStoreTest, WhatAnotherRecordReplacesIsFoundAsReplaced) {
  const UsageRecord correction = Correcting(Record("b"), "a");
  ASSERT_OK(Insert({Record("a"), correction}));
  EXPECT_EQ(Find({Record("a")}), (std::vector<HeldRecord>{{Record("a"), true}}));
  EXPECT_EQ(Find({correction}), (std::vector<HeldRecord>{{correction, false}}));
}

TEST_F(LedgerStoreTest, ARecordInsertedTwiceIsAborted) {
  ASSERT_OK(Insert({Record("a")}));
  EXPECT_EQ(Insert({Record("a")}).code(), absl::StatusCode::kAborted);
}

TEST_F(LedgerStoreTest, EveryFieldIsReadBack) {
  UsageRecord full = Record("b");
  full.submitted.job_id = "7_1";
  full.submitted.user_name = "ada";
  full.submitted.account = "physics";
  full.submitted.partition = "gpu";
  full.submitted.qos = "q";
  full.submitted.billing = 0.1;
  full.submitted.replaces_record_id = "a";
  full.qos_id = qos_;
  full.billing_rate = 1.0 / 3;
  full.usage_factor = 0.7;
  full.recorded_by = 7;
  UsageRecord plain = Record("c");
  plain.submitted.tres.clear();
  ASSERT_OK(Insert({Record("a")}));
  ASSERT_OK(Insert({full, plain}));
  EXPECT_EQ(Ledger(), (std::vector<UsageRecord>{Record("a"), full, plain}));
}

TEST_F(LedgerStoreTest, AwkwardTextsAndNumbersAreRecognisedWhenSentAgain) {
  std::vector<UsageRecord> batch;
  for (const std::string& text : AwkwardTexts()) {
    UsageRecord record = Record(absl::StrCat("r", text));
    record.submitted.source = record.submitted.job_id = record.submitted.user_name = text;
    record.submitted.qos = text;
    batch.push_back(record);
  }
  for (double number : AwkwardDoubles()) {
    UsageRecord record = Record(absl::StrCat("n", batch.size()));
    record.submitted.tres = {{1, number}};
    record.submitted.billing = number;
    batch.push_back(record);
  }
  ASSERT_OK(Insert(batch));
  std::sort(batch.begin(), batch.end(), [](const UsageRecord& a, const UsageRecord& b) {
    return a.submitted.record_id < b.submitted.record_id;
  });
  std::vector<HeldRecord> want;
  for (const UsageRecord& record : batch) want.push_back({record, false});
  EXPECT_EQ(Find(batch), want);
}

TEST_F(LedgerStoreTest, OnlyWhatIsNotReplacedIsListedAsCounting) {
  ASSERT_OK(Insert({Record("a"), Record("b"), Correcting(Record("c"), "a")}));
  auto counting = Read([&](Transaction& t) {
    return LedgerStore(t).ListEndingAfter(UsageOf::kAssociation, cluster_.id, absl::InfinitePast(),
                                          associations_);
  });
  std::vector<std::string> ids;
  for (const UsageRecord& record : *counting) ids.push_back(record.submitted.record_id);
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(ids, (std::vector<std::string>{"b", "c"}));
}

TEST_F(LedgerStoreTest, ARecordOfNoAssociationIsRefusedWithItsUsage) {
  UsageRecord record = Record("a");
  record.association_id = 999999;
  const auto rows = Write([&](Transaction& t) -> absl::StatusOr<std::vector<UsageRow>> {
    if (absl::Status s = LedgerStore(t).Insert(cluster_.id, {&record}); !s.ok()) return s;
    return UsageStore(t).Lock(UsageOf::kAssociation, cluster_.id, {record.association_id});
  });
  EXPECT_EQ(rows.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(Ledger().empty());
}

TEST_F(LedgerStoreTest, ATimeThatRunsBackwardsIsRefused) {
  UsageRecord record = Record("a");
  std::swap(record.submitted.start_time, record.submitted.end_time);
  EXPECT_EQ(Insert({record}).code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(LedgerStoreTest, TheLedgerIsReadInPages) {
  ASSERT_OK(Insert({Record("a"), Record("b"), Record("c")}));
  auto page = Read([&](Transaction& t) { return LedgerStore(t).List(cluster_.id, 0, 2); });
  ASSERT_EQ(page->size(), 2u);
  EXPECT_LT(page->at(0).seq, page->at(1).seq);
  auto rest =
      Read([&](Transaction& t) { return LedgerStore(t).List(cluster_.id, page->at(1).seq, 2); });
  ASSERT_EQ(rest->size(), 1u);
  EXPECT_EQ(rest->at(0).record.submitted.record_id, "c");
}

TEST_F(LedgerStoreTest, TheRecordsOfANewClusterAreNotReadToFindSome) {
  std::vector<UsageRecord> records;
  for (int i = 0; i < 2000; ++i) records.push_back(Record(absl::StrCat("r", i)));
  ASSERT_OK(Insert(records));
  BecomeNewCluster();
  ASSERT_OK(Insert(records));
  std::vector<RecordKey> keys = {{"collector", "none"}};
  for (int i = 0; i < 2000; i += 20) keys.push_back(KeyOf(records[i].submitted));
  const auto read = database_.Write(kUsual.ByKey(), [&](Transaction& transaction) {
    return RowsReadBy(transaction, "priorityd.usage_record", [&] {
      const auto held = LedgerStore(transaction).Find(cluster_.id, keys);
      if (held.ok()) {
        EXPECT_EQ(held->size(), 100u);
      }
      return held.status();
    });
  });
  ASSERT_OK(read);
  EXPECT_LE(*read, 200);
}

// Long record IDs make their index higher than that of sources, which then seems to cost less.
TEST_F(LedgerStoreTest, TheRecordsOfASourceAreNotReadToFindSomeIfTheTableWasEmptyWhenAnalyzed) {
  ASSERT_OK(
      Write([](Transaction& t) { return t.ExecuteScript("ANALYZE priorityd.usage_record"); }));
  std::vector<UsageRecord> records;
  for (int i = 0; i < 2000; ++i) {
    records.push_back(Record(absl::StrCat(std::string(250, 'r'), i)));
  }
  ASSERT_OK(Insert(records));
  std::vector<RecordKey> keys;
  for (int i = 0; i < 2000; i += 20) keys.push_back(KeyOf(records[i].submitted));
  const auto read = database_.Write(kUsual.ByKey(), [&](Transaction& transaction) {
    return RowsReadBy(transaction, "priorityd.usage_record",
                      [&] { return LedgerStore(transaction).Find(cluster_.id, keys).status(); });
  });
  ASSERT_OK(read);
  EXPECT_LE(*read, 200);
}

}  // namespace
}  // namespace priorityd::storage
