#include "storage/ledger/ledger_tail.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/storage/held_lock.h"
#include "tests/storage/retention_fixture.h"

namespace priorityd::storage {
namespace {

using LedgerTailTest = RetentionStoreTest;

UsageRecord Of(UsageRecord record, const std::string& job_id, const std::string& replaces = "") {
  record.submitted.job_id = job_id;
  record.submitted.replaces_record_id = replaces;
  return record;
}

std::vector<JobEnd> Sorted(std::vector<JobEnd> jobs) {
  std::sort(jobs.begin(), jobs.end(), [](const JobEnd& a, const JobEnd& b) {
    return std::tie(a.job_id, a.end_time) < std::tie(b.job_id, b.end_time);
  });
  return jobs;
}

TEST_F(LedgerTailTest, ReportsRecordsAppendedSince) {
  Append({Of(Record("a", Hour(1), Hour(2)), "1"), Of(Record("b", Hour(1), Hour(3)), "2")});
  const auto sight = Read([&](Transaction& t) { return LedgerTail(t).Sight(cluster_.id); });
  Append({Of(Record("c", Hour(2), Hour(4)), "1"), Of(Record("d", Hour(1), Hour(1.5)), "3"),
          Of(Record("e", Hour(1), Hour(2)), ""), Of(Record("f", Hour(3), Hour(3.5)), "1"),
          Of(Record("g", Hour(1), Hour(2.5)), "2", "b")});
  const auto ends = [&](int64_t seq) {
    return Sorted(
        Read([&](Transaction& t) { return LedgerTail(t).LatestEnds(cluster_.id, seq); }).value());
  };
  EXPECT_EQ(ends(sight->seq),
            (std::vector<JobEnd>{{"1", Hour(4)}, {"2", Hour(2.5)}, {"3", Hour(1.5)}}));
  EXPECT_EQ(ends(0), ends(sight->seq));
  EXPECT_EQ(
      Read([&](Transaction& t) { return LedgerTail(t).Replaced(cluster_.id, sight->seq); }).value(),
      (std::vector<JobEnd>{{"2", Hour(3)}}));
}

TEST_F(LedgerTailTest, ReadsSomeJobsAgain) {
  Append({Of(Record("a", Hour(1), Hour(2)), "1"), Of(Record("b", Hour(1), Hour(3)), "1"),
          Of(Record("c", Hour(1), Hour(2)), "1", "b"), Of(Record("d", Hour(1), Hour(3)), "2"),
          Of(Record("e", Hour(0), Hour(0.5)), "3")});
  const auto ends = Read([&](Transaction& t) {
    return LedgerTail(t).LatestEndsOf(cluster_.id, Hour(1), {"1", "3", "4"});
  });
  EXPECT_EQ(*ends, (std::vector<JobEnd>{{"1", Hour(2)}}));
}

TEST_F(LedgerTailTest, KnowsWhatIsStillOpen) {
  const auto sight = [&] {
    return *Read([&](Transaction& t) { return LedgerTail(t).Sight(cluster_.id); });
  };
  {
    const HeldLock open(database_.options().url,
                        "SELECT pg_advisory_xact_lock_shared(7412, 1), pg_current_xact_id()");
    const LedgerSight during = sight();
    EXPECT_LT(during.unfinished, during.next);
  }
  const LedgerSight after = sight();
  EXPECT_EQ(after.unfinished, after.next);
}

TEST_F(LedgerTailTest, TheRecordsOfANewClusterAreReadAFewTimes) {
  std::vector<UsageRecord> records;
  for (int i = 0; i < 1000; ++i) {
    const std::string replaced = i % 2 == 1 ? absl::StrCat(i - 1) : "";
    records.push_back(Of(Record(absl::StrCat(i), Hour(0), Hour(1)), absl::StrCat(i), replaced));
  }
  Append(records);
  BecomeNewCluster();
  Append(records);
  EXPECT_LE(
      RowsRead("priorityd.usage_record",
               [&](Transaction& t) { return LedgerTail(t).LatestEnds(cluster_.id, 0).status(); }),
      6000);
  EXPECT_LE(
      RowsRead("priorityd.usage_record",
               [&](Transaction& t) { return LedgerTail(t).Replaced(cluster_.id, 0).status(); }),
      6000);
}

}  // namespace
}  // namespace priorityd::storage
