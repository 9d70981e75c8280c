#include "server/forecasts/queue_knowledge.h"

#include <limits>
#include <utility>

#include "absl/types/span.h"
#include "engine/priority/ranking/ranking.h"

namespace priorityd::forecasts {

QueueKnowledge::QueueKnowledge(std::shared_ptr<const queue::QueueState> state, absl::Time as_of,
                               const PlanSource& source)
    : state_(std::move(state)), as_of_(as_of) {
  if (state_->jobs() > kMostJobs) return;
  ranked_ = queue::Rank(state_, {.as_of = as_of, .with_factors = true},
                        std::numeric_limits<size_t>::max());
  queue_.emplace(
      scheduling::PlannedQueue{state_->snapshot(), ranked_.jobs, ranked_.ranking, as_of});
  places_.emplace(state_->snapshot().cluster(), queue_->jobs, queue_->ranking);
  plans_.emplace(*queue_, source);
}

forecast::Knowledge QueueKnowledge::Of(absl::string_view job_id) const {
  if (!queue_.has_value()) return {};
  forecast::Knowledge known = places_->Of(job_id);
  plans_->AddTo(job_id, &known);
  return known;
}

forecast::Knowledge QueueKnowledge::OfSupposed(const priority::Job& job) const {
  if (!queue_.has_value()) return {};
  const priority::Ranking ranking = priority::Rank(state_->snapshot(), absl::MakeConstSpan(&job, 1),
                                                   {.as_of = as_of_, .with_factors = true});
  forecast::Knowledge known = places_->OfSupposed(*state_, job, ranking, as_of_);
  plans_->AddTo(job, ranking, &known);
  return known;
}

}  // namespace priorityd::forecasts
