// A service with one cluster and a scripted site factor service.
#ifndef PRIORITYD_TESTS_SERVER_API_SITE_FACTOR_SITE_FACTOR_CASE_H_
#define PRIORITYD_TESTS_SERVER_API_SITE_FACTOR_SITE_FACTOR_CASE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "tests/server/service/scripted_site_factors.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {

using Factors = std::map<std::string, int64_t>;

inline v1::Job JobOf(const std::string& id, int64_t site_factor = 0) {
  v1::Job job;
  job.set_job_id(id);
  job.set_user("amy");
  job.set_site_factor(site_factor);
  return job;
}

inline v1::UpdateJobsResponse Upsert(TestService& service, const std::vector<v1::Job>& jobs) {
  v1::UpdateJobsRequest request;
  for (const v1::Job& job : jobs) *request.add_upserts() = job;
  return UpdateJobs(service, request);
}

inline std::vector<v1::Job> Jobs(int count) {
  std::vector<v1::Job> jobs;
  for (int i = 1; i <= count; ++i) jobs.push_back(JobOf(absl::StrCat(i)));
  return jobs;
}

// By job, as the ranking counts them.
inline Factors RankedFactors(TestService& service) {
  v1::RankJobsRequest request;
  request.mutable_tracked();
  request.set_view(v1::RANK_VIEW_FULL);
  Factors factors;
  const v1::RankJobsResponse response = RankJobs(service, request);
  for (const v1::RankedJob& row : response.ranked()) {
    factors[row.job_id()] = static_cast<int64_t>(row.contributions().site());
  }
  return factors;
}

inline v1::ExplainPriorityResponse Explain(TestService& service, const std::string& job_id) {
  v1::ExplainPriorityRequest request;
  request.mutable_tracked();
  request.set_job_id(job_id);
  return ExplainPriority(service, request);
}

class SiteFactorTest : public ::testing::Test {
 protected:
  // On a manual clock Recalculate returns when the round is done.
  explicit SiteFactorTest(const std::string& clock = "manual") {
    Import(service_, SmallSite(Policy(clock)));
    if (clock == "manual") RecalculateAfter(absl::ZeroDuration());
  }

  std::string Policy(const std::string& clock, const std::string& timeout = "100") const {
    return absl::StrCat("Clock=", clock, "\nPrioritySiteFactorPlugin=", site_.address(),
                        "\nPrioritySiteFactorParameters=queue=a,timeout=", timeout, "s,b\n");
  }
  void ApplyTimeout(const std::string& timeout) {
    v1::ApplyPolicyRequest request;
    request.set_text(absl::StrCat("PriorityType=priority/multifactor\n", Policy("manual", timeout),
                                  "NodeName=n[1-10] CPUs=10 RealMemory=1000\n"
                                  "PartitionName=main Nodes=ALL Default=YES\n"));
    ApplyPolicy(service_, request);
  }
  void RecalculateAfter(absl::Duration time) {
    at_ += time;
    v1::RecalculateRequest request;
    *request.mutable_as_of() = ToTimestamp(at_);
    Recalculate(service_, request);
  }
  void Recalculated() { RecalculateAfter(absl::Minutes(5)); }

  absl::Time at_ = TestEpoch();
  ScriptedSiteFactors site_{50};
  TestService service_;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_TESTS_SERVER_API_SITE_FACTOR_SITE_FACTOR_CASE_H_
