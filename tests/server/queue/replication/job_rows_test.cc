#include "server/queue/replication/job_rows.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include "server/queue/state/packed_job.h"
#include "storage/jobs/job_store.h"
#include "tests/server/queue/state/full_job.h"
#include "tests/storage/stored_columns.h"

namespace priorityd::queue {
namespace {

using storage::JobRemoval;
using storage::JobStore;
using storage::QueueChanges;
using storage::SiteFactorSource;
using storage::StatusOf;
using storage::Transaction;

JobRow JobNamed(absl::string_view job_id) {
  JobRow row;
  row.job.job.job_id = job_id;
  row.job.job.user = "ann";
  row.job.job.submit_time = storage::Microseconds(1);
  row.job.job.accrue_time = storage::Microseconds(2);
  return row;
}

JobRow RowOf(const FullJob& full) { return {.job = full.job()}; }

struct StoredJob {
  std::string job_id;
  int64_t change = 0;
  std::string packed;
  bool operator==(const StoredJob&) const = default;
};

StoredJob StoredAs(const JobRow& row) {
  return {std::string(row.job.job.job_id), row.change, PackJob(row.job)};
}

StoredJob DecodeStored(storage::RowReader& reader) {
  return StoredAs(JobRows().columns.Decode(reader));
}

class JobRowsTest : public storage::StoredColumnsTest {
 protected:
  int64_t WriteJobs(const std::vector<JobRow>& jobs, const std::vector<std::string>& removed = {}) {
    int64_t last = -1;
    EXPECT_OK(Write([&](Transaction& transaction) -> absl::Status {
      JobStore store(transaction);
      auto locked = store.Lock(cluster_.id);
      if (!locked.ok()) return locked.status();
      auto written = store.Write(JobRows(), cluster_.id, jobs, removed);
      if (!written.ok()) return written.status();
      last = *written;
      return absl::OkStatus();
    }));
    return last;
  }
  std::vector<StoredJob> ListChanged(int64_t change, int64_t limit = 1000) {
    return *Read([&](Transaction& transaction) {
      return JobStore(transaction).ListChanged(JobRows(), DecodeStored, cluster_.id, change, limit);
    });
  }
  std::vector<JobRemoval> ListRemoved(int64_t change, int64_t until) {
    return *Read([&](Transaction& transaction) {
      return JobStore(transaction).ListRemoved(cluster_.id, change, until);
    });
  }
  QueueChanges Changes() {
    return *Read(
        [&](Transaction& transaction) { return JobStore(transaction).Changes(cluster_.id); });
  }
};

TEST_F(JobRowsTest, TheTableHasTheColumnsOfTheMembers) { ExpectColumns(JobRows().columns); }

TEST_F(JobRowsTest, EveryMemberComesBackAsItWasWritten) {
  const std::vector<std::string> texts = storage::AwkwardTexts();
  std::deque<FullJob> full;
  std::vector<JobRow> rows = {JobNamed("plain")};
  for (size_t i = 0; i < texts.size(); ++i) rows.push_back(RowOf(full.emplace_back(texts, i)));
  WriteJobs(rows);
  std::vector<StoredJob> want;
  for (JobRow& row : rows) {
    row.change = static_cast<int64_t>(want.size()) + 1;
    want.push_back(StoredAs(row));
  }
  EXPECT_EQ(ListChanged(0), want);
}

TEST_F(JobRowsTest, OneJobByItselfComesBackAsItWasWrittenLast) {
  const std::vector<std::string> texts = storage::AwkwardTexts();
  std::vector<StoredJob> want;
  for (size_t i = 0; i < texts.size(); ++i) {
    const FullJob before({"before"}, i);
    const FullJob last(texts, i);
    WriteJobs({RowOf(before)});
    WriteJobs({JobNamed(last.job().job.job_id)});
    JobRow row = RowOf(last);
    row.change = WriteJobs({row});
    want.push_back(StoredAs(row));
  }
  WriteJobs({JobNamed("last")});
  std::vector<StoredJob> found = ListChanged(0);
  ASSERT_EQ(found.size(), want.size() + 1);
  found.pop_back();
  EXPECT_EQ(found, want);
}

TEST_F(JobRowsTest, ChangesAreNumberedOneByOne) {
  EXPECT_EQ(Changes().last, 0);
  EXPECT_EQ(WriteJobs({JobNamed("1"), JobNamed("2"), JobNamed("3")}), 3);
  EXPECT_EQ(WriteJobs({JobNamed("2")}, {"1"}), 5);
  ASSERT_EQ(ListChanged(2).size(), 2);
  EXPECT_EQ(ListChanged(2)[0].job_id, "3");
  EXPECT_EQ(ListChanged(2)[1].change, 4);
  EXPECT_EQ(ListChanged(0, 1).size(), 1);
  ASSERT_EQ(ListRemoved(3, 5).size(), 1);
  EXPECT_EQ(ListRemoved(3, 5)[0].job_id, "1");
  EXPECT_TRUE(ListRemoved(3, 4).empty());
  EXPECT_EQ(Changes().last, 5);
}

TEST_F(JobRowsTest, WithoutALockAChangeIsWrittenAfterTheOneItFollowsOnly) {
  const std::vector<JobRow> rows = {JobNamed("2")};
  const auto write = [&](int64_t after) {
    return database_.WriteAlone(storage::kUsual, [&](Transaction& transaction) {
      return JobStore(transaction).WriteAfter(after, JobRows(), cluster_.id, rows, {"1"});
    });
  };
  EXPECT_EQ(*write(0), std::nullopt);  // There is no queue.
  EXPECT_EQ(WriteJobs({JobNamed("1")}), 1);
  EXPECT_EQ(*write(0), std::nullopt);
  EXPECT_EQ(Changes().last, 1);
  EXPECT_EQ(ListChanged(0).size(), 1);
  EXPECT_TRUE(ListRemoved(0, 9).empty());
  EXPECT_EQ(*write(1), std::optional<int64_t>(3));
  ASSERT_EQ(ListChanged(0).size(), 1);
  EXPECT_EQ(ListChanged(0)[0].job_id, "2");
  EXPECT_EQ(ListRemoved(0, 9).size(), 1);
}

TEST_F(JobRowsTest, TheQueuesOfAllClustersAreListedAtOnce) {
  ASSERT_OK(Write([](Transaction& transaction) {
    return storage::ClusterStore(transaction).FindOrCreate("none");
  }));
  const int64_t last = WriteJobs({JobNamed("1")});
  const SiteFactorSource source{"host:1", storage::Microseconds(7), "gone"};
  ASSERT_OK(Write([&](Transaction& transaction) -> absl::Status {
    JobStore store(transaction);
    if (auto locked = store.Lock(cluster_.id); !locked.ok()) return locked.status();
    return store.WriteSiteFactorSource(cluster_.id, source);
  }));
  const auto queues = Read([](Transaction& t) { return JobStore(t).ListQueues(); }).value();
  ASSERT_EQ(queues.size(), 2u);
  EXPECT_EQ(queues[0].cluster, "test");
  EXPECT_EQ(queues[0].changes.last, last);
  EXPECT_EQ(queues[0].changes.site_factors, source);
  EXPECT_EQ(queues[1].cluster, "none");
  EXPECT_EQ(queues[1].changes.last, 0);
  EXPECT_EQ(queues[1].changes.site_factors, SiteFactorSource());
}

TEST_F(JobRowsTest, ForgottenRemovalsAreReported) {
  WriteJobs({JobNamed("1"), JobNamed("2")});
  WriteJobs({}, {"1"});
  WriteJobs({}, {"2"});
  EXPECT_OK(Write([&](Transaction& transaction) {
    return JobStore(transaction).ForgetRemovals(cluster_.id, 1);
  }));
  EXPECT_EQ(Changes().forgotten, 3);
  ASSERT_EQ(ListRemoved(0, 4).size(), 1);
  EXPECT_EQ(ListRemoved(0, 4)[0].job_id, "2");
}

TEST_F(JobRowsTest, ARolledBackChangeLeavesNoGap) {
  WriteJobs({JobNamed("1")});
  EXPECT_FALSE(Write([&](Transaction& transaction) -> absl::Status {
                 JobStore store(transaction);
                 auto locked = store.Lock(cluster_.id);
                 auto written =
                     store.Write(JobRows(), cluster_.id, std::vector<JobRow>{JobNamed("2")}, {});
                 return absl::CancelledError("on second thoughts");
               }).ok());
  EXPECT_EQ(WriteJobs({JobNamed("3")}), 2);
}

}  // namespace
}  // namespace priorityd::queue
