// The RPCs of PriorityService for nodes.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>

#include "engine/scheduling/planned_queue.h"
#include "server/api/plans/complete_description.h"
#include "server/api/plans/plan_starts.h"
#include "server/api/plans/suggest_preemption.h"
#include "server/api/plans/validate_plan.h"
#include "server/api/priority_service.h"
#include "server/api/shared/convert_job.h"
#include "server/authorization/rights_table.h"
#include "server/messages/convert_time.h"
#include "server/messages/view.h"
#include "server/queue/state/queue_ranking.h"
#include "server/transport/call.h"
#include "server/transport/viewer.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using authorization::Rpc;
using scheduling::PlannedQueue;

priority::RankOptions OptionsOf(const v1::PlanStartsRequest& request,
                                const priority::Snapshot& snapshot) {
  return RankOptionsOf(request, snapshot);
}
priority::RankOptions OptionsOf(const v1::SuggestPreemptionRequest&, const priority::Snapshot&) {
  return {};
}

// The number of jobs ranked behind the rows required by the options.
size_t LeftOut(const std::shared_ptr<const queue::QueueState>& state, priority::RankOptions options,
               const priority::Ranking& ranking) {
  if (ranking.ranked.size() == ranking.ranked_total) return 0;
  options.limit = 1;
  options.best_only = true;
  const auto among = [](const priority::RankedRow& row) { return row.best_of_job; };
  const auto jobs = std::count_if(ranking.ranked.begin(), ranking.ranked.end(), among);
  return queue::Rank(state, options, 0).ranking.ranked_total - static_cast<size_t>(jobs);
}

}  // namespace

template <typename Request, typename Answer>
absl::Status PriorityService::WithPlannedQueue(const Caller& caller, const Request& request,
                                               const Answer& answer) const {
  if (absl::Status s = Validate(request, options_.limits); !s.ok()) return s;
  if (request.has_tracked()) {
    const auto state = options_.queues->State(View(request.cluster()));
    if (!state.ok()) return state.status();
    const auto description = DescriptionOf(request, (*state)->scale().snapshot);
    if (!description.ok()) return description.status();
    const priority::Snapshot& snapshot = (*state)->snapshot();
    priority::RankOptions options = OptionsOf(request, snapshot);
    options.as_of = request.has_as_of() ? ToTime(request.as_of()) : Now(snapshot);
    const queue::QueueRanking ranked =
        queue::Rank(*state, options, std::numeric_limits<size_t>::max());
    return answer(PlannedQueue{snapshot, ranked.jobs, ranked.ranking, options.as_of,
                               LeftOut(*state, options, ranked.ranking)},
                  *description);
  }
  const auto snapshot = options_.registry->Find(View(request.cluster()));
  if (!snapshot.ok()) return snapshot.status();
  const auto description = DescriptionOf(request, *snapshot);
  if (!description.ok()) return description.status();
  priority::RankOptions options = OptionsOf(request, **snapshot);
  options.as_of = request.has_as_of() ? ToTime(request.as_of()) : Now(**snapshot);
  const InlineQueue queue(request.jobs().jobs());
  if (absl::Status may = CheckInlineJobs(caller, **snapshot, queue.jobs()); !may.ok()) return may;
  const auto ranking = priorityd::priority::Rank(**snapshot, queue.jobs(), options);
  return answer(PlannedQueue{**snapshot, queue.jobs(), ranking, options.as_of}, *description);
}

template <typename Request>
absl::StatusOr<v1::ClusterDescription> PriorityService::DescriptionOf(
    const Request& request, const std::shared_ptr<const priority::Snapshot>& snapshot) const {
  if (absl::Status s = CheckCaps(request.description(), *snapshot); !s.ok()) return s;
  const bool has_nodes = !request.description().node_types().empty();
  return CompleteDescription(request.description(), has_nodes ? nullptr : known_nodes_.Of(snapshot),
                             snapshot->policy().scheduling);
}

absl::Status PriorityService::Plan(const Caller& caller, const v1::PlanStartsRequest& request,
                                   v1::PlanStartsResponse* response) const {
  absl::Status planned = WithPlannedQueue(
      caller, request, [&](const PlannedQueue& queue, const v1::ClusterDescription& description) {
        return rpc::PlanStarts(caller, queue, description, request, response);
      });
  if (planned.ok()) SetStaleness(response->mutable_snapshot());
  return planned;
}

absl::Status PriorityService::Preempt(const Caller& caller,
                                      const v1::SuggestPreemptionRequest& request,
                                      v1::SuggestPreemptionResponse* response) const {
  absl::Status suggested = WithPlannedQueue(
      caller, request, [&](const PlannedQueue& queue, const v1::ClusterDescription& description) {
        return rpc::SuggestPreemption(queue, description, request, response);
      });
  if (suggested.ok()) SetStaleness(response->mutable_snapshot());
  return suggested;
}

}  // namespace priorityd::rpc
