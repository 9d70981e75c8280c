// Why jobs wait and which are refused, against a real slurmctld: tests/oracle/limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <string>

#include "tests/oracle/limit_exceptions.h"
#include "tests/oracle/limit_scenario.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

// A site of its own for a scenario, imported as prioctl imports it, with its jobs.
class Site {
 public:
  explicit Site(const LimitScenario& scenario) : scenario_(scenario) {
    service_.SetNow(scenario.taken);
    v1::ImportRequest request;
    AddFile(v1::FILE_KIND_SLURM_CONF, "slurm.conf", scenario.slurm_conf, &request);
    AddFile(v1::FILE_KIND_QOS, "qos", scenario.qos, &request);
    AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump", scenario.dump, &request);
    Import(service_, request);
    if (!scenario.used.empty()) {
      v1::RecordUsageRequest used;
      for (const v1::UsageRecord& record : scenario.used) *used.add_records() = record;
      EXPECT_EQ(RecordUsage(service_, used).accepted(), scenario.used.size());
    }
    Recalculate(service_);
    // The queue that slurmctld has: none of it may be lost.
    v1::UpdateJobsRequest jobs;
    jobs.set_full_sync(true);
    for (const LimitScenario::Job& job : scenario_.jobs) *jobs.add_upserts() = job.job;
    const v1::UpdateJobsResponse updated = UpdateJobs(service_, jobs);
    for (const v1::JobUpdateResult& result : updated.upserts()) {
      EXPECT_EQ(result.outcome(), v1::UPDATE_OUTCOME_UPSERTED)
          << scenario.name << " " << result.ShortDebugString();
    }
  }

  // By id.
  std::map<std::string, v1::TrackedJob> Jobs() {
    v1::ListJobsRequest list;
    list.set_with_ranking(true);
    std::map<std::string, v1::TrackedJob> jobs;
    const v1::ListJobsResponse listed = ListJobs(service_, list);
    for (const v1::TrackedJob& job : listed.jobs()) jobs[job.job().job_id()] = job;
    return jobs;
  }

  // What becomes of those that Slurm refused, in one request with all the others again.
  v1::UpdateJobsResponse SubmitRefused() {
    v1::UpdateJobsRequest jobs;
    for (const LimitScenario::Job& job : scenario_.refused) *jobs.add_upserts() = job.job;
    for (const LimitScenario::Job& job : scenario_.jobs) *jobs.add_upserts() = job.job;
    return UpdateJobs(service_, jobs);
  }

 private:
  const LimitScenario& scenario_;
  TestService service_;
};

// One test of both, since a site takes a second to set up.
TEST(LimitOracleTest, PendingReasonsAndRefusalsAreSlurms) {
  Agreement reasons;
  Agreement refusals;
  for (const LimitScenario& scenario : ReadLimitScenarios()) {
    Site site(scenario);
    auto ours = site.Jobs();
    for (const LimitScenario::Job& job : scenario.jobs) {
      if (job.words.empty()) continue;
      const v1::TrackedJob& told = ours[job.job.job_id()];
      EXPECT_TRUE(LookAtReason(scenario, job, told.reason(), told.reason_text(), &reasons))
          << scenario.name << " " << job.job.job_id() << ": got " << told.reason() << " ("
          << told.reason_text() << "), want " << job.words;
    }
    const v1::UpdateJobsResponse submitted = site.SubmitRefused();
    for (int i = 0; i < submitted.upserts_size(); ++i) {
      const v1::JobUpdateResult& result = submitted.upserts(i);
      if (i >= static_cast<int>(scenario.refused.size())) {
        EXPECT_NE(result.outcome(), v1::UPDATE_OUTCOME_REFUSED)
            << scenario.name << " " << result.ShortDebugString();
        continue;
      }
      const LimitScenario::Job& job = scenario.refused[i];
      const bool refused = result.outcome() == v1::UPDATE_OUTCOME_REFUSED ||
                           result.outcome() == v1::UPDATE_OUTCOME_INVALID;
      EXPECT_TRUE(
          LookAtRefusal(scenario, job, refused, result.reason(), result.message(), &refusals))
          << scenario.name << " " << job.job.job_id() << ": got " << result.ShortDebugString()
          << ", want " << job.words;
    }
  }
  std::printf("Reasons: %sRefusals: %s", reasons.ToString().c_str(), refusals.ToString().c_str());
}

}  // namespace
}  // namespace priorityd::rpc
