// Planned starts as forecasts learn from them: under limits too, and by any run times.
#ifndef PRIORITYD_ENGINE_SCHEDULING_WAIT_PLAN_H_
#define PRIORITYD_ENGINE_SCHEDULING_WAIT_PLAN_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/plan/cluster.h"
#include "engine/plan/plan.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/ranking/ranking.h"
#include "engine/scheduling/described_cluster.h"
#include "engine/scheduling/limit_pools.h"
#include "engine/scheduling/planned_queue.h"

namespace priorityd::scheduling {

// A job that is not in the queue, ranked alone.
struct SupposedJob {
  const priority::Job& job;
  const priority::Ranking& ranking;
};

struct WaitStarts {
  // By job id; a job without a planned start is missing.
  absl::flat_hash_map<absl::string_view, absl::Time> of_job;
  std::optional<absl::Time> of_supposed;
};

// The remaining run time of a job that has run for `age` (0 = it starts then); `limit`: its time
// limit.
using RestOf = absl::FunctionRef<absl::Duration(const priority::Job& job, absl::Duration limit,
                                                absl::Duration age)>;

// The remaining run time by the time limit.
inline absl::Duration RestOfLimit(const priority::Job&, absl::Duration limit, absl::Duration age) {
  return limit - age;
}

// Plans as QueuePlan, with these differences: the limits of associations and QOS on running jobs
// and their TRES hold at any time of the plan (in QueuePlan all limits, for starts now), and so
// jobs that such a limit blocks now are planned too, at the place of their partition's tier and
// their priority.
class WaitPlanner {
 public:
  // Jobs behind so many are not planned.
  static constexpr size_t kMostJobs = 10'000;
  // With more waiting jobs x nodes, limits are left out: a plan with pools looks at each node for
  // each job. With so many it takes about 50 ms.
  static constexpr size_t kMostWorkOfLimits = 500'000;

  // `supposed` waits behind all of its priority; null = none. The queue's ranking has the running
  // jobs and those that may not start. The references must outlive it.
  WaitPlanner(const PlannedQueue& queue, const DescribedCluster& cluster,
              const SupposedJob* supposed = nullptr);

  WaitStarts Plan(const plan::PlanOptions& options, RestOf rest_of) const;

 private:
  // One place of a waiting job.
  struct Row {
    const priority::Job* job;
    const priority::JobRow* row;
  };
  struct Running {
    const priority::Job* job;
    absl::Duration limit;
    absl::Duration age;
  };

  bool GoesFirst(const Row& a, const Row& b) const;
  bool HoldsLimits(const SupposedJob* supposed) const;
  // In the order in which they are planned.
  std::vector<Row> Rows(const SupposedJob* supposed) const;
  void AddLimits(const Row& row, plan::Place* place);
  void AddRunning(const priority::JobRow& row);
  void AddRow(const Row& row);
  // Takes the pools that never fill away from all jobs.
  void DropPools();

  const PlannedQueue& queue_;
  const DescribedCluster& described_;
  const priority::Job* const supposed_;
  LimitPools limits_;
  const bool holds_limits_;
  plan::Cluster cluster_;  // With pools for limits.
  std::vector<plan::RunningJob> running_;
  std::vector<Running> runs_;  // Beside running_.
  std::vector<plan::WaitingJob> waiting_;
  std::vector<const priority::Job*> jobs_;  // Beside waiting_.
  absl::flat_hash_map<const priority::Job*, size_t> number_of_;
  absl::flat_hash_map<absl::string_view, int> users_;
};

}  // namespace priorityd::scheduling

#endif  // PRIORITYD_ENGINE_SCHEDULING_WAIT_PLAN_H_
