// Limits on usage through the whole service: GrpTRESMins and GrpWall against
// recorded usage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using testing::HasSubstr;

// UMich's hpcstaff: `b` may use 100 billing minutes, without decay.
v1::ImportRequest Hpcstaff() {
  v1::ImportRequest request;
  AddFile(v1::FILE_KIND_SLURM_CONF, "slurm.conf",
          "ClusterName=c\nPriorityType=priority/multifactor\n"
          "PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=YEARLY\nTimeZone=UTC\n"
          "AccountingStorageEnforce=limits,safe\n"
          "NodeName=n[1-10] CPUs=10 RealMemory=100000\n"
          "PartitionName=main Nodes=ALL Default=YES\n",
          &request);
  AddFile(v1::FILE_KIND_QOS, "qos.txt",
          "Name|Priority|UsageFactor|GrpTRESMins|Flags\nnormal|0|1||\nlean|0|1|cpu=10|NoDecay\n",
          &request);
  AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump",
          "Cluster - 'c':Fairshare=1:QOS='normal,lean'\n"
          "Parent - 'root'\n"
          "Account - 'hpcstaff':Fairshare=1:GrpTRESMins=billing=100\n"
          "Account - 'support':Fairshare=1\n"
          "Parent - 'hpcstaff'\n"
          "User - 'emily':DefaultAccount='hpcstaff':Fairshare=1\n"
          "User - 'scott':DefaultAccount='hpcstaff':Fairshare=1\n"
          "User - 'dan':DefaultAccount='hpcstaff':Fairshare=1\n"
          "Parent - 'support'\n"
          "User - 'ann':DefaultAccount='support':Fairshare=1\n",
          &request);
  return request;
}

class LimitsTest : public testing::Test {
 protected:
  LimitsTest() {
    Import(service_, Hpcstaff());
    service_.SetNow(TestEpoch() + absl::Hours(1));
  }

  // `user` used `cpus` for `minutes` from TestEpoch() on.
  void Record(const std::string& user, double cpus, int minutes, const std::string& job_id = "",
              const std::string& qos = "") {
    v1::UsageRecord record = Usage(user + job_id, TestEpoch(), absl::Minutes(minutes), cpus);
    record.set_user(user);
    record.clear_account();
    record.set_job_id(job_id);
    record.set_qos(qos);
    v1::RecordUsageRequest request;
    *request.add_records() = record;
    EXPECT_EQ(RecordUsage(service_, request).accepted(), 1);
  }

  v1::Job* Add(const std::string& job_id, const std::string& user, double cpus, int minutes) {
    v1::Job* job = request_.mutable_jobs()->add_jobs();
    job->set_job_id(job_id);
    job->set_user(user);
    job->set_cpus(cpus);
    job->mutable_time_limit()->set_seconds(60 * minutes);
    return job;
  }

  v1::RankJobsResponse Rank() {
    Recalculate(service_);
    return RankJobs(service_, request_);
  }

  TestService service_;
  v1::RankJobsRequest request_;
};

TEST_F(LimitsTest, DansJobOf25WouldPutHpcstaffOverIts100BillingMinutes) {
  Record("emily", 5, 10);
  Record("scott", 3, 10);
  Add("1", "dan", 5, 5);
  Add("2", "dan", 5, 4);
  const v1::RankJobsResponse response = Rank();
  ASSERT_EQ(response.ineligible_size(), 1);
  EXPECT_EQ(response.ineligible(0).reason(), "AssocGrpBillingMinutes");
  EXPECT_THAT(response.ineligible(0).message(),
              HasSubstr("account hpcstaff: GrpTRESMins billing=100: 80 used + 25 for this job = "
                        "105"));
  ASSERT_EQ(response.ranked_size(), 1);
  EXPECT_EQ(response.ranked(0).job_id(), "2");
}

TEST_F(LimitsTest, ARunningJobKeepsOnlyWhatIsNotRecordedYet) {
  Record("emily", 1, 30, "r");
  v1::Job* running = Add("r", "emily", 1, 60);
  running->set_state(v1::JOB_STATE_RUNNING);
  *running->mutable_start_time() = ToTimestamp(TestEpoch());
  Add("1", "dan", 1, 40);
  Add("2", "dan", 1, 41);
  const v1::RankJobsResponse response = Rank();
  ASSERT_EQ(response.ineligible_size(), 1);
  EXPECT_THAT(response.ineligible(0).message(),
              HasSubstr("30 used + 30 for running jobs + 41 for this job = 101"));
}

TEST_F(LimitsTest, AQosCountsTheUsageOfAllItsJobs) {
  Record("ann", 1, 6, "", "lean");
  Add("1", "ann", 1, 4)->add_qos("lean");
  Add("2", "ann", 1, 5)->add_qos("lean");
  const v1::RankJobsResponse response = Rank();
  ASSERT_EQ(response.ineligible_size(), 1);
  EXPECT_EQ(response.ineligible(0).reason(), "QOSGrpCPUMinutesLimit");
  EXPECT_THAT(response.ineligible(0).message(),
              HasSubstr("QOS lean: GrpTRESMins cpu=10: 6 used + 5 for this job = 11"));
}

TEST_F(LimitsTest, OpeningUsageIsPartOfTheBudget) {
  v1::ImportRequest opening;
  AddFile(v1::FILE_KIND_USAGE, "usage", "hpcstaff|emily||5400\n", &opening);
  Import(service_, opening);
  Add("1", "dan", 1, 10);
  Add("2", "dan", 1, 11);
  const v1::RankJobsResponse response = Rank();
  ASSERT_EQ(response.ineligible_size(), 1);
  EXPECT_EQ(response.ineligible(0).job_id(), "2");
}

}  // namespace
}  // namespace priorityd::rpc
