#include "engine/priority/jobs/job_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/engine/priority/small_site.h"

namespace priorityd::priority {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class JobTableTest : public testing::Test {
 protected:
  JobTable Table(const std::vector<Job>& jobs) { return BuildJobTable(scale_, jobs, kNow); }

  SmallSite site_;
  std::unique_ptr<const Snapshot> snapshot_ = site_.Build();
  FactorScale scale_{*snapshot_};
};

TEST_F(JobTableTest, AJobHasARowForEachPairInItsOwnOrder) {
  std::vector<Job> jobs = {JobOf("1"), JobOf("2"), JobOf("3")};
  jobs[1].partitions = {"fast", "main"};
  const JobTable table = Table(jobs);
  EXPECT_THAT(table.job_id, ElementsAre("1", "2", "3"));
  EXPECT_THAT(table.first_row, ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(table.job, ElementsAre(0, 1, 1, 2));
  EXPECT_THAT(table.partition, ElementsAre(0, 1, 0, 0));  // `main` is the default.
  EXPECT_FALSE(table.one_row_each);
  EXPECT_TRUE(Table({JobOf("1"), JobOf("2")}).one_row_each);
}

TEST_F(JobTableTest, AJobThatCannotBeResolvedHasNoRows) {
  std::vector<Job> jobs = {JobOf("1"), JobOf("2"), JobOf("1")};
  jobs[0].account = "attic";
  const JobTable table = Table(jobs);
  EXPECT_THAT(table.unresolved,
              ElementsAre(Reason::kInvalidAccount, Reason::kNone, Reason::kInvalidJob));
  EXPECT_THAT(table.job, ElementsAre(1));
}

TEST_F(JobTableTest, ARowThatBeginsLaterStartsAtItsBeginTime) {
  const absl::Time begin = kNow + absl::Minutes(1);
  std::vector<Job> jobs = {JobOf("1"), JobOf("2")};
  jobs[1].eligible_time = begin;
  const JobTable table = Table(jobs);
  EXPECT_THAT(table.flags, ElementsAre(0, JobTable::kBeginsLater));
  EXPECT_EQ(table.latest_begin_us, absl::ToUnixMicros(begin));
  EXPECT_EQ(table.ReasonAt(0, absl::ToUnixMicros(kNow)), Reason::kNone);
  EXPECT_EQ(table.ReasonAt(1, absl::ToUnixMicros(begin) - 1), Reason::kBeginTime);
  EXPECT_EQ(table.ReasonAt(1, absl::ToUnixMicros(begin)), Reason::kNone);
}

TEST_F(JobTableTest, ItsFlagsAreTheJobs) {
  std::vector<Job> jobs = {JobOf("1"), JobOf("2"), JobOf("3"), JobOf("4")};
  jobs[0].state = JobState::kRunning;
  jobs[1].hold = Hold::kUser;
  jobs[2].admin_priority = 7;
  jobs[3].reservation = "r1";
  const JobTable table = Table(jobs);
  EXPECT_THAT(table.flags, ElementsAre(JobTable::kRunning, JobTable::kHeld,
                                       JobTable::kAdminPriority, JobTable::kReservation));
  EXPECT_EQ(table.reason[1], Reason::kJobHeldUser);
  EXPECT_EQ(table.admin_priority[2], 7u);
}

TEST_F(JobTableTest, PartsOfAQueueHaveTheRowsOfTheWhole) {
  std::vector<Job> jobs = {JobOf("1"), JobOf("2"), JobOf("3")};
  jobs[0].partitions = {"main", "fast"};
  jobs[2].nice = 5;
  const JobTable whole = Table(jobs);
  JobTableBuilder builder(scale_, kNow);
  const JobTable first = builder.Build({jobs.data(), 1});
  const JobTable rest = builder.Build({jobs.data() + 1, 2});
  ASSERT_EQ(first.rows() + rest.rows(), whole.rows());
  for (size_t row = 0; row < whole.rows(); ++row) {
    const JobTable& part = row < first.rows() ? first : rest;
    const size_t at = row < first.rows() ? row : row - first.rows();
    EXPECT_EQ(part.partition[at], whole.partition[row]);
    EXPECT_EQ(part.nice[at], whole.nice[row]);
    EXPECT_EQ(part.accrue_us[at], whole.accrue_us[row]);
  }
}

TEST_F(JobTableTest, WithoutJobsThereAreNoRows) {
  const JobTable table = Table({});
  EXPECT_EQ(table.rows(), 0u);
  EXPECT_THAT(table.first_row, ElementsAre(0));
  EXPECT_THAT(table.accrual_moved, IsEmpty());
}

}  // namespace
}  // namespace priorityd::priority
