#include "server/api/plans/planned_start.h"

#include <algorithm>
#include <limits>
#include <string>

#include "engine/priority/ranking/ranking.h"
#include "server/api/plans/complete_description.h"
#include "server/api/plans/plan_starts.h"
#include "server/queue/state/queue_ranking.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

bool HasNodes(const v1::ClusterDescription& nodes, const std::string& partition) {
  const auto has = [&](const v1::NodeType& type) {
    return std::find(type.partitions().begin(), type.partitions().end(), partition) !=
           type.partitions().end();
  };
  return std::any_of(nodes.node_types().begin(), nodes.node_types().end(), has);
}

}  // namespace

void SetPlannedStart(const Caller& caller, const std::shared_ptr<const queue::QueueState>& state,
                     absl::Time as_of, const v1::ClusterDescription& nodes,
                     v1::ExplainPriorityResponse* response) {
  if (response->rank() == 0 || !HasNodes(nodes, response->partition())) return;
  const priority::Scheduling& policy = state->snapshot().policy().scheduling;
  v1::PlanStartsRequest request;
  request.add_job_ids(response->job_id());
  priority::RankOptions options = RankOptionsOf(request, state->snapshot());
  if (options.limit > 0 && response->rank() > options.limit) return;
  options.as_of = as_of;
  const auto description = CompleteDescription(nodes, nullptr, policy);
  if (!description.ok()) return;
  const queue::QueueRanking ranked =
      queue::Rank(state, options, std::numeric_limits<size_t>::max());
  v1::PlanStartsResponse plan;
  const absl::Status planned =
      PlanStarts(caller, {state->snapshot(), ranked.jobs, ranked.ranking, as_of}, *description,
                 request, &plan);
  if (planned.ok() && !plan.starts().empty()) {
    response->mutable_planned_start()->Swap(plan.mutable_starts(0));
  }
}

}  // namespace priorityd::rpc
