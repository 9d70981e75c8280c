// Why jobs wait, against a real slurmctld: tests/oracle/limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/oracle/limit_scenario.h"
#include "tests/server/rpc/test_service.h"

namespace priorityd::rpc {
namespace {

// A site of its own for a scenario, imported as prioctl imports it.
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
  }

  // The reasons of the pending jobs, by id.
  std::map<std::string, std::string> Reasons() {
    v1::UpdateJobsRequest request;
    for (const LimitScenario::Job& job : scenario_.jobs) *request.add_upserts() = job.job;
    const v1::UpdateJobsResponse updated = UpdateJobs(service_, request);
    std::map<std::string, std::string> reasons;
    for (int i = 0; i < updated.upserts_size(); ++i) {
      if (updated.upserts(i).outcome() == v1::UPDATE_OUTCOME_UPSERTED) continue;
      reasons[scenario_.jobs[i].job.job_id()] =
          absl::StrCat("refused: ", updated.upserts(i).reason());
    }
    v1::ListJobsRequest list;
    list.set_with_ranking(true);
    for (const v1::TrackedJob& job : ListJobs(service_, list).jobs()) {
      reasons[job.job().job_id()] = job.reason();
      texts_[job.job().job_id()] = job.reason_text();
    }
    return reasons;
  }
  const std::string& TextOf(const std::string& id) { return texts_[id]; }

 private:
  const LimitScenario& scenario_;
  TestService service_;
  std::map<std::string, std::string> texts_;
};

// Reasons that are not to be ours: of a scenario (empty = all) whose name begins so, Slurm's words
// that begin so.
struct Exception {
  absl::string_view scenario;
  absl::string_view words;
};
constexpr Exception kExceptions[] = {
    // What only an executor knows.
    {"", "Resources"},
    {"", "Priority"},
    {"", "Reservation"},
    {"", "Licenses"},
    {"", "ReqNodeNotAvail"},
    {"", "Nodes required for job are DOWN"},
    {"", "job requeued in held state"},
    // Slurm 25.11 says AccountNotAllowed and QOSNotAllowed, and covers the accounts below.
    {"", "Job's account not permitted"},
    {"", "Job's QOS not permitted"},
    // UsageThreshold is compared with the factor, and a flag without a value blocks nobody.
    {"threshold_", "QOSUsageThreshold"},
    // Not told by a job: the largest number of nodes of a range. Not read: MaxMemPerNode, CPUs of
    // a node, INACTIVE apart from DOWN.
    {"part_limits_no", "PartitionNodeLimit"},
    {"part_limits_no", "PartitionConfig"},
    {"part_limits_no", "MaxMemPerLimit"},
    {"waiting", "PartitionInactive"},
    // A job that nobody knows is waited for.
    {"dependencies", "Dependency"},
};

bool Excepted(const LimitScenario& scenario, const std::string& words) {
  for (const Exception& exception : kExceptions) {
    if (absl::StartsWith(scenario.name, exception.scenario) &&
        absl::StartsWith(words, exception.words)) {
      return true;
    }
  }
  return false;
}

TEST(LimitOracleTest, PendingReasonsAreSlurms) {
  int agree = 0;
  int all = 0;
  for (const LimitScenario& scenario : ReadLimitScenarios()) {
    Site site(scenario);
    std::map<std::string, std::string> ours = site.Reasons();
    for (const LimitScenario::Job& job : scenario.jobs) {
      if (job.words.empty()) continue;
      ++all;
      const std::string& reason = ours[job.job.job_id()];
      agree += reason == job.words;
      if (Excepted(scenario, job.words)) continue;
      EXPECT_EQ(reason, job.words)
          << scenario.name << " " << job.job.job_id() << ": " << site.TextOf(job.job.job_id());
    }
  }
  std::printf("%d of %d pending reasons agree\n", agree, all);
}

}  // namespace
}  // namespace priorityd::rpc
