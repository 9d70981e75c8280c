#include "storage/ledger/started_job_store.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "storage/jobs/job_store.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

using ::testing::ElementsAre;

class StartedJobStoreTest : public StoreTest {
 protected:
  // `values`: of state, ended_as, end_time, start_time, time_limit_us.
  void Insert(const std::string& job_id, const std::string& values) {
    ASSERT_OK(Write([&](Transaction& t) {
      if (auto locked = JobStore(t).Lock(cluster_.id); !locked.ok()) return locked.status();
      return t
          .Execute(absl::StrCat(
                       "INSERT INTO priorityd.job (cluster_id, job_id, change, source, name, "
                       "user_name, account, partitions, qos, hold, dependency, "
                       "told_dependency_unmet, dependency_unmet, submit_time, accrue_time, nodes, "
                       "cpus, tres_names, tres_counts, nice, site_factor, reservation, "
                       "array_tasks, state, ended_as, end_time, start_time, time_limit_us) "
                       "SELECT $1, $2, $3, '', '', 'amy', 'a', '{p,\"q,\"}', '{high}', '', '', "
                       "false, false, now(), now(), 2, 1.5, '{mem,gres/gpu}', '{10,0.5}', 0, 0, "
                       "'', 1, ",
                       values),
                   {cluster_.id, job_id, ++change_})
          .status();
    }));
  }
  std::vector<StartedJob> List() {
    return Read([&](Transaction& t) { return StartedJobStore(t).List(cluster_.id); }).value();
  }

  int64_t change_ = 0;
};

TEST_F(StartedJobStoreTest, JobsThatRunAreListedById) {
  Insert("2", "'RUNNING', '', NULL, 'epoch', 7");
  Insert("10", "'SUSPENDED', '', NULL, NULL, NULL");
  Insert("3", "'PENDING', '', NULL, NULL, 7");
  Insert("4", "'RUNNING', 'COMPLETED', now(), 'epoch', 7");
  const StartedJob second = {.job_id = "2",
                             .user = "amy",
                             .account = "a",
                             .partitions = {"p", "q,"},
                             .qos = {"high"},
                             .start_time = absl::UnixEpoch(),
                             .nodes = 2,
                             .cpus = 1.5,
                             .tres = {{"mem", 10}, {"gres/gpu", 0.5}},
                             .time_limit_us = 7};
  StartedJob tenth = second;
  tenth.job_id = "10";
  tenth.start_time.reset();
  tenth.time_limit_us.reset();
  EXPECT_THAT(List(), ElementsAre(tenth, second));
}

}  // namespace
}  // namespace priorityd::storage
