// Grants on a manual clock.
#ifndef PRIORITYD_TESTS_SERVER_API_GRANTS_GRANTS_FIXTURE_H_
#define PRIORITYD_TESTS_SERVER_API_GRANTS_GRANTS_FIXTURE_H_

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/service/granted_site.h"
#include "tests/server/service/job_requests.h"

namespace priorityd::rpc {

// On 5 January 2026, 0:00, in UTC; amounts are in billing minutes, which are CPU minutes here.
class GrantsTest : public GrantedSite {
 protected:
  GrantsTest() {
    Apply("PriorityDecayHalfLife=2:0:0\nTimeZone=UTC\nPriorityWeightQOS=1000\n");
    RecalculateAt(TestEpoch());
  }

  // So many CPUs of a user from one hour after TestEpoch to another.
  void Used(double from, double until, double cpus, const std::string& user = "amy",
            const std::string& account = "a", const std::string& qos = "") {
    Record({Hour(from), Hour(until), cpus}, user, account, qos);
  }

  // The windows of a grant as `granted+carried-repaid+transferred=available used left`.
  std::vector<std::string> Windows(const std::string& name) {
    std::vector<std::string> windows;
    const v1::GetGrantStatementResponse statement = Statement(name);
    for (const v1::GrantBalance& w : statement.windows()) {
      windows.push_back(absl::StrCat(w.granted_minutes(), "+", w.carried_minutes(), "-",
                                     w.repaid_minutes(), "+", w.transferred_minutes(), "=",
                                     w.available_minutes(), " ", w.used_minutes(), " ",
                                     w.left_minutes()));
    }
    return windows;
  }

  v1::RankJobsResponse RankOne(TestService& service, const std::string& user,
                               const std::string& qos = "") {
    v1::RankJobsRequest request;
    v1::Job* job = request.mutable_jobs()->add_jobs();
    *job = JobOf("1", user);
    job->set_cpus(1);
    job->mutable_time_limit()->set_seconds(3600);
    if (!qos.empty()) job->add_qos(qos);
    return RankJobs(service, request);
  }
  // Why a job of the user cannot start; empty = it can.
  std::string ReasonOf(const std::string& user) {
    const v1::RankJobsResponse response = RankOne(service_, user);
    return response.ineligible().empty() ? "" : response.ineligible(0).reason();
  }
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_TESTS_SERVER_API_GRANTS_GRANTS_FIXTURE_H_
