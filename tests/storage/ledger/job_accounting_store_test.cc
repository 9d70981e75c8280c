#include "storage/ledger/job_accounting_store.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "storage/ledger/ledger_store.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

// Ends that many seconds after 1970.
UsageRecord Telling(const std::string& id, int end, const std::string& state) {
  UsageRecord record;
  record.submitted.source = "s";
  record.submitted.record_id = id;
  record.submitted.job_id = "7";
  record.submitted.end_time = absl::FromUnixSeconds(end);
  record.job = std::make_shared<const JobAccounting>(JobAccounting{
      .state = state, .start_time = absl::UnixEpoch(), .end_time = absl::FromUnixSeconds(end)});
  return record;
}

class JobAccountingStoreTest : public StoreTest {
 protected:
  void Insert(const std::vector<UsageRecord>& records) {
    std::vector<const UsageRecord*> pointers;
    for (const UsageRecord& record : records) pointers.push_back(&record);
    ASSERT_OK(
        Write([&](Transaction& t) { return JobAccountingStore(t).Insert(cluster_.id, pointers); }));
  }
  std::vector<std::string> Rows() {
    return Read([](Transaction& t) {
             return t.Query(OnlyColumn<std::string>,
                            "SELECT record_id || ' ' || state FROM priorityd.job_accounting "
                            "ORDER BY 1");
           })
        .value();
  }
};

TEST_F(JobAccountingStoreTest, OnlyRecordsWithFactsAboutTheirJobHaveARow) {
  UsageRecord silent = Telling("2", 10, "");
  silent.job = nullptr;
  Insert({Telling("1", 10, "FAILED"), silent, Telling("3", 10, "TIMEOUT")});
  EXPECT_EQ(Rows(), (std::vector<std::string>{"1 FAILED", "3 TIMEOUT"}));
}

TEST_F(JobAccountingStoreTest, TheDatabaseIsNotQueriedIfNoRecordHasFacts) {
  ASSERT_OK(Write(
      [](Transaction& t) { return t.Execute("DROP TABLE priorityd.job_accounting").status(); }));
  UsageRecord silent = Telling("1", 10, "");
  silent.job = nullptr;
  Insert({silent});
}

// A record may be called as one that was rolled up.
TEST_F(JobAccountingStoreTest, ARowThatIsLeftIsOverwritten) {
  Insert({Telling("1", 10, "FAILED")});
  Insert({Telling("1", 20, "COMPLETED")});
  EXPECT_EQ(Rows(), (std::vector<std::string>{"1 COMPLETED"}));
}

TEST_F(JobAccountingStoreTest, RowsOfRecordsBeforeTheHorizonGoAFewAtATime) {
  Insert({Telling("1", 10, "FAILED"), Telling("2", 20, "FAILED"), Telling("3", 30, "FAILED")});
  const auto remove = [&](int horizon, int64_t limit) {
    return Write([&](Transaction& t) {
             return JobAccountingStore(t).DeleteBefore(cluster_.id, absl::FromUnixSeconds(horizon),
                                                       limit);
           })
        .value();
  };
  EXPECT_EQ(remove(10, 5), 0);
  EXPECT_EQ(remove(30, 1), 1);
  EXPECT_EQ(Rows(), (std::vector<std::string>{"2 FAILED", "3 FAILED"}));
  EXPECT_EQ(remove(30, 5), 1);
  EXPECT_EQ(Rows(), (std::vector<std::string>{"3 FAILED"}));
}

}  // namespace
}  // namespace priorityd::storage
