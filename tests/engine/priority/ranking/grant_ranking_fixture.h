// Jobs of the small site under grants of usage.
#ifndef PRIORITYD_TESTS_ENGINE_PRIORITY_RANKING_GRANT_RANKING_FIXTURE_H_
#define PRIORITYD_TESTS_ENGINE_PRIORITY_RANKING_GRANT_RANKING_FIXTURE_H_

#include <string>
#include <utility>
#include <vector>

#include "tests/engine/priority/ranking_fixture.h"

namespace priorityd::priority {

inline constexpr double kPerMinute = 60;

class GrantRankingTest : public RankingTest {
 protected:
  // A grant of minutes to accounts.
  GrantStanding& AddGrant(std::vector<std::string> accounts, const char* tres, double available,
                          double used) {
    GrantStanding& grant = site_.source.grants.emplace_back();
    grant.name = absl::StrCat("g", site_.source.grants.size());
    grant.accounts = std::move(accounts);
    grant.tres = tres;
    grant.available = available * kPerMinute;
    grant.used = used * kPerMinute;
    grant.until = absl::InfiniteFuture();
    grant.consequence = GrantConsequence::kBlock;
    return grant;
  }

  Job& AddWanting(absl::string_view job_id, double cpus, int minutes) {
    Job& job = Add(job_id);
    job.cpus = cpus;
    job.time_limit = absl::Minutes(minutes);
    return job;
  }
  Job& OfCat(Job& job) {
    job.user = "cat";
    job.account = "chemistry";
    return job;
  }
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_TESTS_ENGINE_PRIORITY_RANKING_GRANT_RANKING_FIXTURE_H_
