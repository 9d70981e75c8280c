#include "storage/ledger_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "storage/association_store.h"
#include "storage/qos_store.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

using Outcomes = std::vector<AppendOutcome>;
constexpr AppendOutcome kAccepted = AppendOutcome::kAccepted;
constexpr AppendOutcome kDuplicate = AppendOutcome::kDuplicate;
constexpr AppendOutcome kConflict = AppendOutcome::kConflict;

UsageRow& RowOf(std::vector<UsageRow>& rows, int64_t id) {
  return *std::find_if(rows.begin(), rows.end(),
                       [id](const UsageRow& row) { return row.id == id; });
}

// Adds each record's undecayed usage: enough to see that each counts once.
absl::Status Sum(Settlement& settlement) {
  for (const UsageRecord* record : settlement.accepted) {
    const double usage = record->billing_rate * record->usage_factor;
    RowOf(settlement.associations, record->association_id).value += usage;
    if (record->qos_id.has_value()) RowOf(settlement.qos, *record->qos_id).value += usage;
  }
  return absl::OkStatus();
}

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

  absl::StatusOr<Outcomes> Append(const std::vector<UsageRecord>& batch,
                                  const std::function<absl::Status(Settlement&)>& settle = Sum) {
    std::vector<const UsageRecord*> records;
    for (const UsageRecord& record : batch) records.push_back(&record);
    return Write([&](Transaction& transaction) {
      return LedgerStore(transaction).Append(cluster_.id, records, settle);
    });
  }
  std::vector<UsageRecord> Ledger() {
    std::vector<UsageRecord> records;
    auto entries =
        Read([&](Transaction& t) { return LedgerStore(t).List(cluster_.id, 0, 1000000); });
    for (const LedgerEntry& entry : *entries) records.push_back(entry.record);
    return records;
  }
  double Total(UsageOf of) {
    auto rows = Read([&](Transaction& t) { return UsageStore(t).List(of, cluster_.id); });
    return std::accumulate(rows->begin(), rows->end(), 0.0,
                           [](double sum, const UsageRow& row) { return sum + row.value; });
  }

  std::vector<int64_t> associations_;
  int64_t qos_ = 0;
};

TEST_F(LedgerStoreTest, WhatIsInsertedIsFoundByItsKey) {
  const UsageRecord a = Record("a");
  const UsageRecord b = Record("b");
  ASSERT_OK(Write([&](Transaction& t) { return LedgerStore(t).Insert(cluster_.id, {&b, &a}); }));
  const UsageRecord elsewhere = [&] {
    UsageRecord record = Record("a");
    record.submitted.source = "another";
    return record;
  }();
  const auto held = Read([&](Transaction& t) {
    return LedgerStore(t).Find(cluster_.id, {KeyOf(a.submitted), KeyOf(elsewhere.submitted)});
  });
  EXPECT_EQ(*held, (std::vector<HeldRecord>{{a, false}}));
}

TEST_F(LedgerStoreTest, WhatAnotherRecordReplacesIsFoundAsReplaced) {
  const UsageRecord a = Record("a");
  UsageRecord correction = Record("b");
  correction.submitted.replaces_record_id = "a";
  ASSERT_OK(Write([&](Transaction& t) {
    return LedgerStore(t).Insert(cluster_.id, {&a, &correction});
  }));
  const auto find = [&](const UsageRecord& record) {
    return Read([&](Transaction& t) {
      return LedgerStore(t).Find(cluster_.id, {KeyOf(record.submitted)});
    });
  };
  EXPECT_EQ(*find(a), (std::vector<HeldRecord>{{a, true}}));
  EXPECT_EQ(*find(correction), (std::vector<HeldRecord>{{correction, false}}));
}

TEST_F(LedgerStoreTest, ARecordInsertedTwiceIsAborted) {
  const UsageRecord a = Record("a");
  const auto insert = [&](Transaction& t) { return LedgerStore(t).Insert(cluster_.id, {&a}); };
  ASSERT_OK(Write(insert));
  EXPECT_EQ(Write(insert).code(), absl::StatusCode::kAborted);
}

TEST_F(LedgerStoreTest, ARecordWithoutAnAssociationIsOnlyLookedUp) {
  ASSERT_OK(Append({Record("a")}));
  std::vector<UsageRecord> batch = {Record("a"), Record("a"), Record("b")};
  batch[1].submitted.account = "another";
  for (UsageRecord& record : batch) record.association_id = 0;
  EXPECT_EQ(Append(batch).value(), (Outcomes{kDuplicate, kConflict, AppendOutcome::kUnpriced}));
  EXPECT_EQ(Ledger(), (std::vector<UsageRecord>{Record("a")}));
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
  UsageRecord plain = Record("c");
  plain.submitted.tres.clear();
  ASSERT_OK(Append({Record("a")}));
  ASSERT_EQ(Append({full, plain}).value(), (Outcomes{kAccepted, kAccepted}));
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
  EXPECT_EQ(Append(batch).value(), Outcomes(batch.size(), kAccepted));
  EXPECT_EQ(Append(batch).value(), Outcomes(batch.size(), kDuplicate));
}

TEST_F(LedgerStoreTest, ARecordSentAgainIsADuplicateAndCountsOnce) {
  ASSERT_EQ(Append({Record("a"), Record("b")}).value(), (Outcomes{kAccepted, kAccepted}));
  EXPECT_EQ(Append({Record("b"), Record("c"), Record("a")}).value(),
            (Outcomes{kDuplicate, kAccepted, kDuplicate}));
  EXPECT_EQ(Total(UsageOf::kAssociation), 3);
  EXPECT_EQ(Ledger().size(), 3u);
}

TEST_F(LedgerStoreTest, OtherContentUnderTheSameIdIsAConflict) {
  ASSERT_OK(Append({Record("a")}));
  const std::vector<std::function<void(SubmittedUsage&)>> changes = {
      [](SubmittedUsage& u) { u.job_id = "x"; },
      [](SubmittedUsage& u) { u.user_name = "x"; },
      [](SubmittedUsage& u) { u.account = "x"; },
      [](SubmittedUsage& u) { u.partition = "x"; },
      [](SubmittedUsage& u) { u.qos = "x"; },
      [](SubmittedUsage& u) { u.start_time += absl::Microseconds(1); },
      [](SubmittedUsage& u) { u.end_time += absl::Microseconds(1); },
      [](SubmittedUsage& u) { u.tres[1].amount = 1025; },
      [](SubmittedUsage& u) { u.tres.pop_back(); },
      [](SubmittedUsage& u) { u.billing = 0; },
      [](SubmittedUsage& u) { u.replaces_record_id = "x"; }};
  for (const auto& change : changes) {
    UsageRecord record = Record("a");
    change(record.submitted);
    EXPECT_EQ(Append({record}).value(), Outcomes{kConflict});
  }
  EXPECT_EQ(Ledger(), std::vector<UsageRecord>{Record("a")});
  EXPECT_EQ(Total(UsageOf::kAssociation), 1);
}

TEST_F(LedgerStoreTest, AResendIsADuplicateEvenAtAnotherPrice) {
  ASSERT_OK(Append({Record("a")}));
  UsageRecord dearer = Record("a", 2);
  dearer.billing_rate = 100;
  EXPECT_EQ(Append({dearer}).value(), Outcomes{kDuplicate});
  EXPECT_EQ(Ledger(), std::vector<UsageRecord>{Record("a")});
}

TEST_F(LedgerStoreTest, OneIdFromTwoSourcesIsTwoRecords) {
  UsageRecord other = Record("a");
  other.submitted.source = "another";
  EXPECT_EQ(Append({Record("a"), other}).value(), (Outcomes{kAccepted, kAccepted}));
}

TEST_F(LedgerStoreTest, WithinABatchTheFirstOfAnIdCounts) {
  UsageRecord changed = Record("a");
  changed.submitted.job_id = "x";
  EXPECT_EQ(Append({Record("a"), changed, Record("a")}).value(),
            (Outcomes{kAccepted, kConflict, kDuplicate}));
  EXPECT_EQ(Total(UsageOf::kAssociation), 1);
}

TEST_F(LedgerStoreTest, WithinABatchEachIsComparedWithTheLedger) {
  ASSERT_OK(Append({Record("a")}));
  UsageRecord changed = Record("a");
  changed.submitted.job_id = "x";
  EXPECT_EQ(Append({changed, Record("a"), changed}).value(),
            (Outcomes{kConflict, kDuplicate, kConflict}));
}

// A correction of record `target`.
UsageRecord Correcting(UsageRecord record, const std::string& target) {
  record.submitted.replaces_record_id = target;
  return record;
}

TEST_F(LedgerStoreTest, ACorrectionTakesTheOtherRecordOut) {
  UsageRecord old = Record("old", 3);
  old.qos_id = qos_;
  ASSERT_OK(Append({old}));
  const UsageRecord correction = Correcting(Record("new", 5), "old");
  EXPECT_EQ(Append({correction},
                   [&](Settlement& settlement) {
                     EXPECT_EQ(settlement.replaced.size(), 1u);
                     EXPECT_EQ(*settlement.replaced[0], old);
                     EXPECT_EQ(settlement.accepted.size(), 1u);
                     EXPECT_EQ(settlement.associations.size(), 2u);
                     EXPECT_EQ(settlement.qos.size(), 1u);
                     return absl::OkStatus();
                   })
                .value(),
            Outcomes{kAccepted});
  EXPECT_EQ(Append({correction}).value(), Outcomes{kDuplicate});
  EXPECT_EQ(Ledger().size(), 2u);
}

TEST_F(LedgerStoreTest, OnlyWhatIsNotReplacedIsListedAsCounting) {
  ASSERT_OK(Append({Record("a"), Record("b"), Correcting(Record("c"), "a")}));
  auto counting = Read([&](Transaction& t) {
    return LedgerStore(t).ListEndingAfter(absl::InfinitePast(), associations_);
  });
  std::vector<std::string> ids;
  for (const UsageRecord& record : *counting) ids.push_back(record.submitted.record_id);
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(ids, (std::vector<std::string>{"b", "c"}));
}

TEST_F(LedgerStoreTest, ACorrectionOfNothingIsRefused) {
  UsageRecord elsewhere = Record("a");
  elsewhere.submitted.source = "another";
  ASSERT_OK(Append({elsewhere}));
  const UsageRecord itself = Correcting(Record("b"), "b");
  EXPECT_EQ(Append({Correcting(Record("c"), "a"), itself, itself}).value(),
            Outcomes(3, AppendOutcome::kUnknownTarget));
  EXPECT_EQ(Ledger().size(), 1u);
}

TEST_F(LedgerStoreTest, ARecordIsReplacedOnceAndCorrectionsMakeAChain) {
  const UsageRecord second = Correcting(Record("b"), "a");
  EXPECT_EQ(Append({Record("a"), second, Correcting(Record("c"), "a")}).value(),
            (Outcomes{kAccepted, kAccepted, AppendOutcome::kAlreadyReplaced}));
  EXPECT_EQ(Append({Correcting(Record("c"), "a"), Correcting(Record("d"), "b"), second}).value(),
            (Outcomes{AppendOutcome::kAlreadyReplaced, kAccepted, kDuplicate}));
}

TEST_F(LedgerStoreTest, WhatIsReplacedInItsOwnBatchCountsAtNoTime) {
  ASSERT_OK(Append({Record("a"), Correcting(Record("b"), "a")}, [&](Settlement& settlement) {
    EXPECT_EQ(settlement.accepted.size(), 1u);
    EXPECT_EQ(settlement.accepted[0]->submitted.record_id, "b");
    EXPECT_TRUE(settlement.replaced.empty());
    return Sum(settlement);
  }));
  EXPECT_EQ(Total(UsageOf::kAssociation), 1);
}

TEST_F(LedgerStoreTest, TheSettlementHasTheRowsOfWhatIsNew) {
  ASSERT_OK(Append({Record("a", 3)}));
  UsageRecord in_qos = Record("c", 2);
  in_qos.qos_id = qos_;
  ASSERT_OK(Append({Record("b", 5), Record("a", 3), in_qos}, [&](Settlement& settlement) {
    EXPECT_EQ(settlement.accepted.size(), 2u);
    EXPECT_EQ(settlement.accepted[0]->submitted.record_id, "b");
    EXPECT_EQ(settlement.accepted[1]->submitted.record_id, "c");
    EXPECT_EQ(settlement.associations,
              (std::vector<UsageRow>{{.id = associations_[2]}, {.id = associations_[5]}}));
    EXPECT_EQ(settlement.qos, std::vector<UsageRow>{{.id = qos_}});
    return Sum(settlement);
  }));
  EXPECT_EQ(Total(UsageOf::kAssociation), 3);
  EXPECT_EQ(Total(UsageOf::kQos), 1);
}

TEST_F(LedgerStoreTest, NothingNewIsNothingToSettle) {
  ASSERT_OK(Append({Record("a")}));
  EXPECT_OK(Append({Record("a")}, [](Settlement&) { return absl::InternalError("called"); }));
  EXPECT_OK(Append({}, [](Settlement&) { return absl::InternalError("called"); }));
}

TEST_F(LedgerStoreTest, AnErrorOfTheSettlementLeavesNothing) {
  EXPECT_EQ(Append({Record("a")}, [](Settlement&) { return absl::InternalError("mine"); }).status(),
            absl::InternalError("mine"));
  EXPECT_TRUE(Ledger().empty());
  EXPECT_EQ(Append({Record("a")}).value(), Outcomes{kAccepted});
}

TEST_F(LedgerStoreTest, ARecordOfNoAssociationIsRefused) {
  UsageRecord record = Record("a");
  record.association_id = 999999;
  EXPECT_EQ(Append({record}).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(Ledger().empty());
}

TEST_F(LedgerStoreTest, ATimeThatRunsBackwardsIsRefused) {
  UsageRecord record = Record("a");
  std::swap(record.submitted.start_time, record.submitted.end_time);
  EXPECT_EQ(Append({record}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(LedgerStoreTest, TheLedgerIsReadInPages) {
  ASSERT_OK(Append({Record("a"), Record("b"), Record("c")}));
  auto page = Read([&](Transaction& t) { return LedgerStore(t).List(cluster_.id, 0, 2); });
  ASSERT_EQ(page->size(), 2u);
  EXPECT_LT(page->at(0).seq, page->at(1).seq);
  auto rest =
      Read([&](Transaction& t) { return LedgerStore(t).List(cluster_.id, page->at(1).seq, 2); });
  ASSERT_EQ(rest->size(), 1u);
  EXPECT_EQ(rest->at(0).record.submitted.record_id, "c");
}

TEST_F(LedgerStoreTest, WritersOfTheSameRecordsAtOnceCountEachOnce) {
  constexpr int kWriters = 4;
  constexpr int kRecords = 500;
  std::vector<UsageRecord> records;
  for (int i = 0; i < kRecords; ++i) {
    records.push_back(Record(absl::StrCat("r", i), i % associations_.size()));
    if (i % 2 == 0) records.back().qos_id = qos_;
  }
  std::vector<int> accepted(kWriters);
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      // Each in an order of its own, in batches of its own size.
      std::vector<UsageRecord> mine = records;
      std::rotate(mine.begin(), mine.begin() + writer * 97, mine.end());
      if (writer % 2 == 1) std::reverse(mine.begin(), mine.end());
      const size_t size = 20 + 13 * writer;
      for (size_t at = 0; at < mine.size(); at += size) {
        const size_t end = std::min(at + size, mine.size());
        auto outcomes = Append({mine.begin() + at, mine.begin() + end});
        ASSERT_OK(outcomes);
        accepted[writer] += std::count(outcomes->begin(), outcomes->end(), kAccepted);
        EXPECT_EQ(std::count(outcomes->begin(), outcomes->end(), kConflict), 0);
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(std::accumulate(accepted.begin(), accepted.end(), 0), kRecords);
  EXPECT_EQ(Ledger().size(), static_cast<size_t>(kRecords));
  EXPECT_EQ(Total(UsageOf::kAssociation), kRecords);
  EXPECT_EQ(Total(UsageOf::kQos), kRecords / 2);
}

}  // namespace
}  // namespace priorityd::storage
