#include "storage/ledger/job_end_store.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "storage/ledger/ledger_store.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

absl::Time At(int second) { return absl::FromUnixSeconds(second); }

class JobEndStoreTest : public StoreTest {
 protected:
  // A record of job 7.
  void Append(const std::string& id, int start, int end, const std::string& replaces = "") {
    UsageRecord record;
    record.submitted.source = "s";
    record.submitted.record_id = id;
    record.submitted.job_id = "7";
    record.submitted.start_time = At(start);
    record.submitted.end_time = At(end);
    record.submitted.replaces_record_id = replaces;
    record.association_id = 1;
    ASSERT_OK(Write([&](Transaction& t) { return LedgerStore(t).Insert(cluster_.id, {&record}); }));
  }
  // A charged run of job 7 and its record.
  void Charge(int start, int end) {
    const std::string id = absl::StrCat(kJobEndPrefix, "7:", start);
    Append(id, start, end);
    ASSERT_OK(Write([&](Transaction& t) {
      return JobEndStore(t).Insert(cluster_.id, {{"7", At(start), At(end), "s", id}});
    }));
  }
  // `record_id head` of the charged runs that overlap.
  std::vector<std::string> Charged(const std::vector<JobRun>& runs) {
    auto found =
        Read([&](Transaction& t) { return JobEndStore(t).FindCharged(cluster_.id, runs); });
    EXPECT_OK(found);
    std::vector<std::string> ids;
    for (const ChargedRun& run : *found) {
      ids.push_back(absl::StrCat(run.row.record_id, " ", run.record.submitted.record_id));
    }
    return ids;
  }
  std::vector<size_t> Collected(const std::vector<JobRun>& runs) {
    return Read([&](Transaction& t) { return JobEndStore(t).FindCollected(cluster_.id, runs); })
        .value();
  }
};

TEST_F(JobEndStoreTest, RunsOfTheSameJobWithTimeInCommonAreFoundOnce) {
  Charge(10, 20);
  Charge(20, 30);
  Charge(40, 40);
  EXPECT_THAT(Charged({{"7", At(0), At(10)}, {"7", At(30), At(40)}, {"8", At(0), At(50)}}),
              IsEmpty());
  EXPECT_THAT(Charged({{"7", At(19), At(20)}, {"7", At(10), At(10)}}),
              ElementsAre("job-end:7:10 job-end:7:10"));
  EXPECT_THAT(Charged({{"7", At(19), At(21)}, {"7", At(40), At(41)}}),
              UnorderedElementsAre("job-end:7:10 job-end:7:10", "job-end:7:20 job-end:7:20",
                                   "job-end:7:40 job-end:7:40"));
}

TEST_F(JobEndStoreTest, WhatCountsInARunsPlaceIsTheLastOfItsReplacements) {
  Charge(10, 20);
  Append("usage-void:1:1", 20, 20, "job-end:7:10");
  Append("usage-restore:1:1", 10, 20, "usage-void:1:1");
  EXPECT_THAT(Charged({{"7", At(10), At(20)}}), ElementsAre("job-end:7:10 usage-restore:1:1"));
}

TEST_F(JobEndStoreTest, ADeletedRunIsNoLongerCharged) {
  Charge(10, 20);
  Charge(20, 30);
  ASSERT_OK(Write([&](Transaction& t) {
    return JobEndStore(t).Delete(cluster_.id, {{"7", At(10), At(20), "s", "job-end:7:10"}});
  }));
  EXPECT_THAT(Charged({{"7", At(0), At(40)}}), ElementsAre("job-end:7:20 job-end:7:20"));
  EXPECT_EQ(
      *Write([&](Transaction& t) { return JobEndStore(t).DeleteBefore(cluster_.id, At(31), 10); }),
      1);
  EXPECT_THAT(Charged({{"7", At(0), At(40)}}), IsEmpty());
}

TEST_F(JobEndStoreTest, RunsOfCollectorsAreFoundUntilTheyAreBeforeTheHorizon) {
  ASSERT_OK(Write([&](Transaction& t) {
    return JobEndStore(t).InsertCollected(
        cluster_.id, {{"7", At(10), At(20)}, {"7", At(10), At(20)}, {"9", At(25), At(25)}});
  }));
  const std::vector<JobRun> runs = {{"7", At(0), At(10)},  {"7", At(19), At(30)},
                                    {"8", At(10), At(20)}, {"7", At(10), At(10)},
                                    {"9", At(20), At(25)}, {"9", At(25), At(26)}};
  EXPECT_THAT(Collected(runs), UnorderedElementsAre(1, 3, 5));
  EXPECT_EQ(
      *Write([&](Transaction& t) { return JobEndStore(t).DeleteBefore(cluster_.id, At(21), 10); }),
      2);
  EXPECT_THAT(Collected(runs), UnorderedElementsAre(5));
}

TEST_F(JobEndStoreTest, TheFirstSwitchOnHoldsUntilItIsSwitchedOff) {
  const auto since = [&] {
    return Read([&](Transaction& t) { return JobEndStore(t).Since(cluster_.id); }).value();
  };
  const auto on = [&](absl::Time at) {
    ASSERT_OK(Write([&](Transaction& t) { return JobEndStore(t).SwitchOn(cluster_.id, at); }));
  };
  const auto off = [&] {
    ASSERT_OK(Write([&](Transaction& t) { return JobEndStore(t).SwitchOff(cluster_.id); }));
  };
  off();
  EXPECT_EQ(since(), std::nullopt);
  on(At(5));
  on(At(9));
  EXPECT_EQ(since(), At(5));
  off();
  EXPECT_EQ(since(), absl::InfiniteFuture());
  on(absl::InfinitePast());
  EXPECT_EQ(since(), absl::InfinitePast());
}

}  // namespace
}  // namespace priorityd::storage
