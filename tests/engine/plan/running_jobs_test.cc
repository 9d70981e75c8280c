#include "engine/plan/running_jobs.h"

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/plan/plan.h"
#include "gtest/gtest.h"
#include "tests/engine/plan/random_cluster.h"

namespace priorityd::plan {
namespace {

// `numbers`: of the running jobs.
std::string AllOf(const std::vector<JobPlan>& plans, const std::vector<size_t>& numbers) {
  return absl::StrJoin(plans, "\n", [&](std::string* out, const JobPlan& plan) {
    absl::StrAppend(out, plan.start ? absl::FormatTime(*plan.start) : "-", " ",
                    static_cast<int>(plan.wait), plan.reserved, plan.backfilled, " place ",
                    plan.place, " pool ", plan.pool, " nodes ", absl::StrJoin(plan.nodes, ","),
                    " behind ", plan.behind_waiting);
    if (plan.behind_running >= 0) absl::StrAppend(out, " job ", numbers[plan.behind_running]);
  });
}

// Jobs that start and end between plans, some past their ends, some on unknown nodes.
class Changes {
 public:
  explicit Changes(uint32_t seed)
      : random_(seed, /*consistent=*/false), others_(seed + 1, false), kept_(random_.cluster) {
    for (const RunningJob& job : random_.running) Start(job);
  }

  void Change() {
    for (const RunningJob& job : others_.running) {
      if (others_.Draw(0, 2) == 0 && IsOfCluster(job)) Start(job);
    }
    while (!running_.empty() && others_.Draw(0, 1) == 0) {
      const auto ended = std::next(running_.begin(), others_.Draw(0, int(running_.size()) - 1));
      kept_.End(ended->first);
      running_.erase(ended);
    }
    now_ += absl::Minutes(others_.Draw(0, 4));
  }

  std::string KeptPlan() {
    return AllOf(PlanStarts(&kept_, random_.waiting, now_, random_.options), Numbers(true));
  }
  std::string NewPlan() const {
    std::vector<RunningJob> running;
    for (const auto& [number, job] : running_) running.push_back(job);
    return AllOf(PlanStarts(random_.cluster, running, random_.waiting, now_, random_.options),
                 Numbers(false));
  }

 private:
  void Start(const RunningJob& job) {
    const size_t number = others_.Draw(0, 1000);
    if (!running_.emplace(number, job).second) return;
    kept_.Start(number, job);
  }

  bool IsOfCluster(const RunningJob& job) const {
    int nodes = 0;
    for (const NodeType& type : random_.cluster.types) nodes += type.nodes;
    const int types = static_cast<int>(random_.cluster.types.size());
    const int pools = static_cast<int>(random_.cluster.pools.size());
    return (job.nodes.empty() || job.nodes.back() < nodes) && job.place.types.back() < types &&
           (job.place.pools.empty() || job.place.pools.back().pool < pools);
  }

  // The number that a plan has for each running job.
  std::vector<size_t> Numbers(bool kept) const {
    std::vector<size_t> numbers(1001);
    size_t index = 0;
    for (const auto& [number, job] : running_) numbers[kept ? number : index++] = number;
    return numbers;
  }

  RandomCluster random_;
  RandomCluster others_;
  RunningJobs kept_;
  std::map<size_t, RunningJob> running_;
  absl::Time now_ = random_.now;
};

TEST(RunningJobsTest, KeptJobsGiveThePlansThatNewOnesGive) {
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    Changes changes(seed);
    for (int plan = 0; plan < 8; ++plan) {
      ASSERT_EQ(changes.KeptPlan(), changes.NewPlan()) << "seed " << seed << " plan " << plan;
      changes.Change();
    }
  }
}

}  // namespace
}  // namespace priorityd::plan
