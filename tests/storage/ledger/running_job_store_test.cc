#include "storage/ledger/running_job_store.h"

#include <gtest/gtest.h>

#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

class RunningJobStoreTest : public StoreTest {
 protected:
  std::vector<RunningJob> Lock(const std::vector<RunningJob>& jobs) {
    auto locked = Write([&](Transaction& t) { return RunningJobStore(t).Lock(cluster_.id, jobs); });
    EXPECT_OK(locked);
    return locked.value_or(std::vector<RunningJob>());
  }

  const RunningJob job_ = {.source = "collector",
                           .job_id = "7 \"{,}",
                           .start_time = Microseconds(1700000000000001),
                           .as_of = Microseconds(1700000060000002),
                           .tres_seconds = {{"cpu", 1.0 / 3}, {"gres/gpu:a,b", 2}},
                           .billing_seconds = 0.1};
};

TEST_F(RunningJobStoreTest, AJobThatIsMissingIsCreatedWithoutUsage) {
  RunningJob created = {.source = job_.source, .job_id = job_.job_id};
  created.start_time = job_.start_time;
  created.as_of = job_.start_time;
  EXPECT_EQ(Lock({job_}), std::vector<RunningJob>{created});
}

TEST_F(RunningJobStoreTest, EveryFieldIsReadBack) {
  Lock({job_});
  ASSERT_OK(Write([&](Transaction& t) { return RunningJobStore(t).Write(cluster_.id, {job_}); }));
  EXPECT_EQ(Lock({job_}), std::vector<RunningJob>{job_});
}

TEST_F(RunningJobStoreTest, OneJobIdOfTwoSourcesIsTwoJobs) {
  RunningJob other = job_;
  other.source = "another";
  Lock({job_, other});
  ASSERT_OK(Write([&](Transaction& t) { return RunningJobStore(t).Write(cluster_.id, {other}); }));
  EXPECT_EQ(Lock({other}), std::vector<RunningJob>{other});
  EXPECT_EQ(Lock({job_})[0].billing_seconds, 0);
}

// The planner's statistics are of a cluster that had none.
TEST_F(RunningJobStoreTest, TheRowsOfOthersAreNotReadToLockAndWriteSome) {
  std::vector<RunningJob> jobs(5000, job_);
  for (size_t i = 0; i < jobs.size(); ++i) jobs[i].job_id = absl::StrCat(i);
  Lock(jobs);
  const std::vector<RunningJob> some(jobs.begin() + 100, jobs.begin() + 110);
  const auto read = database_.Write(kUsual.ByKey(), [&](Transaction& transaction) {
    return RowsReadBy(transaction, "priorityd.running_job", [&] {
      RunningJobStore store(transaction);
      const auto locked = store.Lock(cluster_.id, some);
      if (!locked.ok()) return locked.status();
      EXPECT_EQ(locked->size(), some.size());
      return store.Write(cluster_.id, *locked);
    });
  });
  ASSERT_OK(read);
  // To see that they are there, to lock them, and to write them.
  EXPECT_LE(*read, static_cast<int64_t>(3 * some.size()));
}

}  // namespace
}  // namespace priorityd::storage
