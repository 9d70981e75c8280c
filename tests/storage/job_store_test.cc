#include "storage/job_store.h"

#include <gtest/gtest.h>

#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

Job JobNamed(const std::string& job_id) {
  Job job;
  job.job_id = job_id;
  job.user_name = "ann";
  job.submit_time = Microseconds(1);
  job.accrue_time = Microseconds(2);
  return job;
}

// Every field set, and set to something that is easily lost.
Job FullJob(const std::string& job_id, const std::string& text) {
  Job job = JobNamed(job_id);
  job.source = job.name = job.account = job.dependency = job.reservation = text;
  job.partitions = {"main", text};
  job.qos = {text};
  job.state = "RUNNING";
  job.ended_as = "NODE_FAIL";
  job.end_time = Microseconds(1700000000123457);
  job.hold = "ADMIN";
  job.told_dependency_unmet = true;
  job.dependency_unmet = true;
  job.eligible_time = Microseconds(3);
  job.start_time = Microseconds(4);
  job.accrual_stopped = Microseconds(5);
  job.nodes = 4294967295;
  job.cpus = 0.1;
  job.tres = {{"cpu", 1.0 / 3}, {"gres/gpu", 2}};
  job.time_limit_us = 1;
  job.nice = -2147483645;
  job.site_factor = INT64_MIN;
  job.admin_priority = 0;
  job.array_job_id = text;
  job.array_task_id = 4294967295;
  job.array_limited = true;
  job.dependency_never = true;
  job.dependency_until = Microseconds(6);
  job.previous_priority = 4294967295;
  job.pair_partitions = {text, ""};
  job.pair_qos = {"", text};
  job.pair_priorities = {1, 4294967295};
  job.preemptor = false;
  job.array_tasks = 7;
  job.site_factor_answered = true;
  job.array_task_ids = text;
  return job;
}

class JobStoreTest : public StoreTest {
 protected:
  int64_t WriteJobs(const std::vector<Job>& jobs, const std::vector<std::string>& removed = {}) {
    int64_t last = -1;
    EXPECT_OK(Write([&](Transaction& transaction) -> absl::Status {
      JobStore store(transaction);
      auto locked = store.Lock(cluster_.id);
      if (!locked.ok()) return locked.status();
      auto written = store.Write(cluster_.id, jobs, removed);
      if (!written.ok()) return written.status();
      last = *written;
      return absl::OkStatus();
    }));
    return last;
  }
  std::vector<Job> ListChanged(int64_t change, int64_t limit = 1000) {
    return *Read([&](Transaction& transaction) {
      return JobStore(transaction).ListChanged(cluster_.id, change, limit);
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

TEST_F(JobStoreTest, EveryFieldComesBackAsItWasWritten) {
  std::vector<Job> jobs = {JobNamed("plain")};
  for (const std::string& text : AwkwardTexts()) jobs.push_back(FullJob("id " + text, text));
  WriteJobs(jobs);
  for (size_t i = 0; i < jobs.size(); ++i) jobs[i].change = static_cast<int64_t>(i) + 1;
  EXPECT_EQ(ListChanged(0), jobs);
}

TEST_F(JobStoreTest, OneJobByItselfComesBackAsItWasWrittenLast) {
  std::vector<Job> jobs;
  for (const std::string& text : AwkwardTexts()) {
    const std::string job_id = "id " + text;
    WriteJobs({FullJob(job_id, "before")});
    WriteJobs({JobNamed(job_id)});
    jobs.push_back(FullJob(job_id, text));
    jobs.back().change = WriteJobs({jobs.back()});
  }
  WriteJobs({JobNamed("last")});
  std::vector<Job> found = ListChanged(0);
  ASSERT_EQ(found.size(), jobs.size() + 1);
  found.pop_back();
  EXPECT_EQ(found, jobs);
}

TEST_F(JobStoreTest, ChangesAreNumberedOneByOne) {
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

TEST_F(JobStoreTest, WithoutALockAChangeIsWrittenAfterTheOneItFollowsOnly) {
  const auto write = [&](int64_t after) {
    return database_.WriteAlone(kUsual, [&](Transaction& transaction) {
      return JobStore(transaction).WriteAfter(after, cluster_.id, {JobNamed("2")}, {"1"});
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

TEST_F(JobStoreTest, TheQueuesOfAllClustersAreListedAtOnce) {
  ASSERT_OK(Write(
      [](Transaction& transaction) { return ClusterStore(transaction).FindOrCreate("none"); }));
  Job job;
  job.job_id = "1";
  job.user_name = "ann";
  const int64_t last = WriteJobs({job});
  const SiteFactorSource source{"host:1", Microseconds(7), "gone"};
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

TEST_F(JobStoreTest, ForgottenRemovalsAreTold) {
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

TEST_F(JobStoreTest, ARolledBackChangeLeavesNoGap) {
  WriteJobs({JobNamed("1")});
  EXPECT_FALSE(Write([&](Transaction& transaction) -> absl::Status {
                 JobStore store(transaction);
                 auto locked = store.Lock(cluster_.id);
                 auto written = store.Write(cluster_.id, {JobNamed("2")}, {});
                 return absl::CancelledError("on second thoughts");
               }).ok());
  EXPECT_EQ(WriteJobs({JobNamed("3")}), 2);
}

}  // namespace
}  // namespace priorityd::storage
