// The waits of the jobs of a ranked queue, by its plans.
#ifndef PRIORITYD_SERVER_FORECASTS_QUEUE_PLANS_H_
#define PRIORITYD_SERVER_FORECASTS_QUEUE_PLANS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/forecast/job.h"
#include "engine/plan/plan.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/ranking/ranking.h"
#include "engine/priority/snapshot/snapshot.h"
#include "engine/scheduling/cluster_description.h"
#include "engine/scheduling/described_cluster.h"
#include "engine/scheduling/earliest_starts.h"
#include "engine/scheduling/planned_queue.h"
#include "engine/scheduling/wait_plan.h"
#include "server/queue/state/queue_state.h"

namespace priorityd::forecasts {

// Null = unknown.
using Nodes = std::shared_ptr<const scheduling::ClusterDescription>;
using NodesOf = std::function<Nodes(const std::shared_ptr<const priority::Snapshot>&)>;

// The inputs of a plan besides the queue.
struct PlanSource {
  Nodes nodes;
  std::function<double(const priority::Job&)> run_time;  // The expected one, in seconds.
};

// The Unix times before which reservations prevent pending jobs of the queue from starting, by job
// id; jobs that may start now are left out. Empty without nodes.
absl::flat_hash_map<std::string, int64_t> EarliestStartsOf(const queue::QueueState& state,
                                                           absl::Time now, const Nodes& nodes);

// Thread-compatible.
class QueuePlans {
 public:
  // Plans the queue twice: by time limits, and by expected run times. Without nodes it plans
  // nothing, and says nothing. All of `queue` and `source` must outlive it.
  QueuePlans(const scheduling::PlannedQueue& queue, const PlanSource& source);

  // Sets the waits of a job of the queue.
  void AddTo(absl::string_view job_id, forecast::Knowledge* known) const;
  // The same for a job that is not in the queue, by plans of the queue with it. `ranking`: of this
  // job alone.
  void AddTo(const priority::Job& job, const priority::Ranking& ranking,
             forecast::Knowledge* known) const;

 private:
  struct Both {
    scheduling::WaitStarts by_limits;
    scheduling::WaitStarts by_expected;
  };

  Both Plan(const scheduling::SupposedJob* supposed) const;
  double WaitUntil(absl::Time start) const;
  void AddEarliest(const priority::Job& job, forecast::Knowledge* known) const;

  const scheduling::PlannedQueue& queue_;
  const PlanSource& source_;
  std::optional<scheduling::DescribedCluster> described_;  // Unset: nothing is planned.
  // Unset without reservations. It remembers what it found.
  mutable std::optional<scheduling::EarliestStarts> earliest_;
  absl::flat_hash_map<absl::string_view, const priority::Job*> job_of_;  // For earliest_.
  Both plans_;
};

}  // namespace priorityd::forecasts

#endif  // PRIORITYD_SERVER_FORECASTS_QUEUE_PLANS_H_
