#include "server/recalculation/job_ends.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "storage/configuration/cluster_store.h"
#include "storage/ledger/ledger_store.h"
#include "storage/ledger/report_store.h"
#include "tests/storage/store_test.h"

namespace priorityd::recalculation {
namespace {

using storage::StatusOf;

using Ends = absl::flat_hash_map<std::string, absl::Time>;

absl::Time Minute(int minute) { return absl::FromUnixSeconds(1'700'000'000 + 60 * minute); }

class JobEndsTest : public storage::StoreTest {
 protected:
  static storage::UsageRecord Record(const std::string& job_id, const std::string& record_id,
                                     absl::Time end, const std::string& replaces = "") {
    storage::UsageRecord record;
    record.association_id = 1;
    record.submitted.source = "s";
    record.submitted.job_id = job_id;
    record.submitted.record_id = record_id;
    record.submitted.replaces_record_id = replaces;
    record.submitted.start_time = Minute(-100'000);
    record.submitted.end_time = end;
    return record;
  }

  // As recording does.
  absl::Status Append(storage::Transaction& transaction, const storage::UsageRecord& record) {
    absl::Status locked = storage::ClusterStore(transaction).LockShared(cluster_.id);
    if (!locked.ok()) return locked;
    return storage::LedgerStore(transaction).Insert(cluster_.id, {&record});
  }
  void Append(const storage::UsageRecord& record) {
    EXPECT_OK(Write([&](storage::Transaction& t) { return Append(t, record); }));
  }

  // Brings `ends_` up to date and expects what the whole ledger says.
  void ExpectUpToDate(absl::Time since = absl::InfinitePast()) {
    Ends want;
    ASSERT_OK(database_.Read([&](storage::Transaction& t) {
      const auto all = storage::ReportStore(t).LatestEnds(cluster_.id, since);
      EXPECT_OK(all);
      for (const storage::JobEnd& job : *all) want.emplace(job.job_id, job.end_time);
      return ends_.Update(t, cluster_.id, since);
    }));
    EXPECT_EQ(ends_.ends(), want);
  }

  JobEnds ends_;
};

TEST_F(JobEndsTest, ReadsOnlyWhatWasAppended) {
  for (int i = 0; i < 100; ++i) Append(Record(absl::StrCat(i), absl::StrCat(i), Minute(i)));
  ExpectUpToDate();
  EXPECT_EQ(ends_.last_read(), 100);
  Append(Record("7", "later", Minute(200)));
  Append(Record("8", "earlier", Minute(-5)));
  ExpectUpToDate();
  EXPECT_EQ(ends_.last_read(), 2);
  ExpectUpToDate();
  EXPECT_EQ(ends_.last_read(), 0);
}

TEST_F(JobEndsTest, ACorrectionOfTheLatestRecordCounts) {
  Append(Record("1", "a", Minute(1)));
  Append(Record("1", "b", Minute(9)));
  Append(Record("2", "c", Minute(9)));
  ExpectUpToDate();
  Append(Record("1", "d", Minute(5), "b"));
  Append(Record("3", "e", Minute(5), "c"));
  ExpectUpToDate();
  EXPECT_EQ(ends_.ends(), (Ends{{"1", Minute(5)}, {"3", Minute(5)}}));
}

TEST_F(JobEndsTest, JobsThatEndedLongAgoAreForgotten) {
  Append(Record("1", "a", Minute(1)));
  Append(Record("2", "b", Minute(2)));
  ExpectUpToDate();
  ExpectUpToDate(Minute(1));
  EXPECT_EQ(ends_.ends().size(), 1u);
}

// It was numbered before what is seen, and is committed after.
TEST_F(JobEndsTest, WhatIsCommittedLateIsSeen) {
  Append(Record("0", "0", Minute(0)));
  ExpectUpToDate();
  for (int i = 1; i < 4; ++i) {
    ASSERT_OK(Write([&](storage::Transaction& slow) {
      EXPECT_OK(Append(slow, Record(absl::StrCat(i), absl::StrCat("slow", i), Minute(i))));
      std::thread([&] {
        Append(Record("fast", absl::StrCat("fast", i), Minute(i)));
        ExpectUpToDate();
        ExpectUpToDate();
      }).join();
      return absl::OkStatus();
    }));
    ExpectUpToDate();
  }
  EXPECT_EQ(ends_.ends().size(), 5u);
}

// The one that began first numbers its record last, and is committed first.
TEST_F(JobEndsTest, WhatIsNumberedBeforeAnEarlierTransactionIsSeen) {
  ExpectUpToDate();
  ASSERT_OK(Write([&](storage::Transaction& slow) {
    EXPECT_OK(Write([&](storage::Transaction& first) {
      EXPECT_OK(storage::ClusterStore(first).LockShared(cluster_.id));
      EXPECT_OK(Append(slow, Record("slow", "slow", Minute(1))));
      return Append(first, Record("first", "first", Minute(2)));
    }));
    ExpectUpToDate();
    ExpectUpToDate();
    return absl::OkStatus();
  }));
  ExpectUpToDate();
  EXPECT_EQ(ends_.ends().size(), 2u);
}

TEST_F(JobEndsTest, EqualsTheLedgerWhileOthersAppend) {
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 3; ++writer) {
    writers.emplace_back([this, writer] {
      std::mt19937 random(writer);
      for (int i = 0; i < 150; ++i) {
        const std::string id = absl::StrCat(writer, ".", i);
        const bool replaces = i > 0 && random() % 4 == 0;
        Append(Record(absl::StrCat(random() % 9), id, Minute(static_cast<int>(random() % 50)),
                      replaces ? absl::StrCat(writer, ".", i - 1) : ""));
      }
    });
  }
  for (int i = 0; i < 50; ++i) ExpectUpToDate(Minute(i / 10));
  for (std::thread& writer : writers) writer.join();
  ExpectUpToDate(Minute(5));
}

}  // namespace
}  // namespace priorityd::recalculation
