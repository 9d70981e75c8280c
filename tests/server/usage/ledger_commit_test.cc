#include "server/usage/ledger_commit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "storage/configuration/association_store.h"
#include "storage/configuration/qos_store.h"
#include "storage/ledger/usage_store.h"
#include "tests/storage/store_test.h"

namespace priorityd::usage {
namespace {

using storage::StatusOf;
using storage::UsageOf;
using Statuses = std::vector<RecordStatus>;

constexpr absl::Duration kLength = absl::Seconds(10);
const absl::Time kCommitStart = absl::FromUnixSeconds(1'700'000'000);

// What a test submits: one CPU for ten seconds of an account.
struct Used {
  std::string id;
  std::string account = "a";
  std::string qos;
  std::string replaces;
};

// A cluster with the accounts a, b and c and the QOS q.
class LedgerCommitTest : public storage::StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    ASSERT_OK(Write([&](storage::Transaction& transaction) {
      storage::AssociationStore store(transaction);
      const std::vector<int64_t> ids = store.ReserveIds(4).value();
      std::vector<storage::Association> rows;
      for (const char* account : {"root", "a", "b", "c"}) {
        rows.push_back({.id = ids[rows.size()], .cluster_id = cluster_.id, .account = account});
        if (rows.size() > 1) rows.back().parent_id = ids[0];
      }
      storage::QosStore qos(transaction);
      absl::Status status = qos.Insert({.cluster_id = cluster_.id, .name = "q"}).status();
      return status.ok() ? store.Insert(rows) : status;
    }));
  }

  UsageSubmission SubmissionOf(const Used& used) {
    UsageSubmission submission;
    submission.source = "collector";
    submission.record_id = used.id;
    submission.account = used.account;
    submission.qos = used.qos;
    submission.replaces_record_id = used.replaces;
    submission.start_time = kCommitStart;
    submission.end_time = kCommitStart + kLength;
    submission.tres = {{"cpu", 1}};
    return submission;
  }

  std::unique_ptr<QueuedBatch> Queued(const std::vector<Used>& batch) {
    auto queued = std::make_unique<QueuedBatch>();
    queued->submitted.cluster = cluster_.name;
    for (const Used& used : batch) queued->submitted.submissions.push_back(SubmissionOf(used));
    auto book = books_.Latest(cluster_.name);
    EXPECT_OK(book);
    auto priced = PriceBatch(*book, queued->submitted.submissions, kCommitStart + kLength, &books_);
    EXPECT_OK(priced);
    queued->priced = *std::move(priced);
    return queued;
  }

  absl::StatusOr<std::vector<RecordResults>> Commit(Group group) {
    return Write(
        [&](storage::Transaction& transaction) { return WriteGroup(transaction, group, &books_); });
  }

  // The statuses of one batch.
  absl::StatusOr<Statuses> Commit(const std::vector<Used>& batch) {
    const std::vector<std::unique_ptr<QueuedBatch>> group = [&] {
      std::vector<std::unique_ptr<QueuedBatch>> one;
      one.push_back(Queued(batch));
      return one;
    }();
    auto results = Commit(group);
    if (!results.ok()) return results.status();
    Statuses statuses;
    for (const RecordResult& result : results->at(0)) statuses.push_back(result.status);
    return statuses;
  }

  // Wall seconds of all rows, of which each record makes ten.
  double Total(UsageOf of) {
    auto rows =
        Read([&](storage::Transaction& t) { return storage::UsageStore(t).List(of, cluster_.id); });
    return std::accumulate(
        rows->begin(), rows->end(), 0.0,
        [](double sum, const storage::UsageRow& row) { return sum + row.wall_seconds; });
  }
  size_t LedgerSize() {
    return Read([&](storage::Transaction& t) {
             return storage::LedgerStore(t).List(cluster_.id, 0, 1'000'000);
           })
        ->size();
  }

  PriceBooks books_{&database_};
};

TEST_F(LedgerCommitTest, ANewRecordCountsInItsAssociationAndItsQosAndAResendDoesNot) {
  EXPECT_EQ(*Commit({{"1"}, {"2", "b", "q"}}),
            (Statuses{RecordStatus::kAccepted, RecordStatus::kAccepted}));
  EXPECT_EQ(
      *Commit({{"2", "b", "q"}, {"3"}, {"1"}}),
      (Statuses{RecordStatus::kDuplicate, RecordStatus::kAccepted, RecordStatus::kDuplicate}));
  EXPECT_NEAR(Total(UsageOf::kAssociation), 30, 1e-2);
  EXPECT_NEAR(Total(UsageOf::kQos), 10, 1e-2);
  EXPECT_EQ(LedgerSize(), 3u);
}

TEST_F(LedgerCommitTest, ACorrectionTakesTheOtherRecordOutOfBothRows) {
  ASSERT_OK(Commit({{"1", "a", "q"}}));
  EXPECT_EQ(*Commit({{"2", "b", "", "1"}}), Statuses{RecordStatus::kAccepted});
  EXPECT_NEAR(Total(UsageOf::kAssociation), 10, 1e-2);
  EXPECT_EQ(Total(UsageOf::kQos), 0);
  EXPECT_EQ(LedgerSize(), 2u);
}

TEST_F(LedgerCommitTest, WhatIsReplacedInItsOwnBatchCountsAtNoTime) {
  EXPECT_EQ(*Commit({{"1"}, {"2", "b", "", "1"}}),
            (Statuses{RecordStatus::kAccepted, RecordStatus::kAccepted}));
  EXPECT_NEAR(Total(UsageOf::kAssociation), 10, 1e-2);
}

TEST_F(LedgerCommitTest, BatchesOfAGroupHaveResultsOfTheirOwnInTheirOrder) {
  std::vector<std::unique_ptr<QueuedBatch>> group;
  group.push_back(Queued({{"1"}, {"x", "nobody"}}));
  group.push_back(Queued({{"1"}, {"2"}, {"1", "b"}}));
  auto results = Commit(group);
  ASSERT_OK(results);
  ASSERT_EQ(results->size(), 2u);
  EXPECT_EQ(results->at(0)[0].status, RecordStatus::kAccepted);
  EXPECT_EQ(results->at(0)[1].rejection.value().reason, RejectionReason::kUnknownAccount);
  EXPECT_EQ(results->at(1)[0].status, RecordStatus::kDuplicate);
  EXPECT_EQ(results->at(1)[1].status, RecordStatus::kAccepted);
  EXPECT_EQ(results->at(1)[2].rejection.value().reason, RejectionReason::kConflict);
}

TEST_F(LedgerCommitTest, AResendOfAnAccountThatIsGoneIsADuplicate) {
  ASSERT_OK(Commit({{"1", "b"}}));
  std::vector<std::unique_ptr<QueuedBatch>> group;
  group.push_back(Queued({{"1", "b"}, {"2", "b"}}));
  for (storage::UsageRecord& record : group[0]->priced.records) record.association_id = 0;
  const RecordResult gone = {RecordStatus::kRejected,
                             Rejection{RejectionReason::kUnknownAccount, "account", ""}};
  group[0]->priced.results = {gone, gone};
  auto results = Commit(group);
  ASSERT_OK(results);
  EXPECT_EQ(results->at(0)[0].status, RecordStatus::kDuplicate);
  EXPECT_EQ(results->at(0)[1].rejection.value().reason, RejectionReason::kUnknownAccount);
}

TEST_F(LedgerCommitTest, PricesThatAreOutOfDateAreAbortedAndNothingIsWritten) {
  std::vector<std::unique_ptr<QueuedBatch>> group;
  group.push_back(Queued({{"1"}}));
  ASSERT_OK(Write([&](storage::Transaction& transaction) {
    return storage::QosStore(transaction).Insert({.cluster_id = cluster_.id, .name = "r"}).status();
  }));
  EXPECT_TRUE(absl::IsAborted(Commit(group).status()));
  EXPECT_EQ(LedgerSize(), 0u);
  EXPECT_EQ(*Commit({{"1"}}), Statuses{RecordStatus::kAccepted});
}

TEST_F(LedgerCommitTest, WritersOfTheSameRecordsAtOnceCountEachOnce) {
  constexpr int kWriters = 4;
  constexpr int kRecords = 500;
  std::vector<Used> records;
  for (int i = 0; i < kRecords; ++i) {
    records.push_back({absl::StrCat("r", i),
                       i % 3 == 0   ? "a"
                       : i % 3 == 1 ? "b"
                                    : "c",
                       i % 2 == 0 ? "q" : ""});
  }
  std::vector<int> accepted(kWriters);
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      // Each in an order of its own, in batches of its own size.
      std::vector<Used> mine = records;
      std::rotate(mine.begin(), mine.begin() + writer * 97, mine.end());
      if (writer % 2 == 1) std::reverse(mine.begin(), mine.end());
      const size_t size = 20 + 13 * writer;
      for (size_t at = 0; at < mine.size(); at += size) {
        const size_t end = std::min(at + size, mine.size());
        auto statuses = Commit(std::vector<Used>(mine.begin() + at, mine.begin() + end));
        ASSERT_OK(statuses);
        accepted[writer] += std::count(statuses->begin(), statuses->end(), RecordStatus::kAccepted);
        EXPECT_EQ(std::count(statuses->begin(), statuses->end(), RecordStatus::kRejected), 0);
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(std::accumulate(accepted.begin(), accepted.end(), 0), kRecords);
  EXPECT_EQ(LedgerSize(), static_cast<size_t>(kRecords));
  EXPECT_NEAR(Total(UsageOf::kAssociation), 10 * kRecords, 1);
  EXPECT_NEAR(Total(UsageOf::kQos), 10 * kRecords / 2, 1);
}

}  // namespace
}  // namespace priorityd::usage
