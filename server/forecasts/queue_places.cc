#include "server/forecasts/queue_places.h"

#include <algorithm>

#include "engine/priority/ranking/ranking.h"
#include "engine/priority/ranking/scored_queue.h"
#include "server/forecasts/event.h"

namespace priorityd::forecasts {
namespace {

double WorkOf(const priority::Job& job) { return SizeOf(job) * LimitOf(job); }

double FairShareOf(const priority::JobRow& row) {
  return row.factors == nullptr ? 0 : row.factors->fair_share;
}

// Of a job that may not start.
forecast::Knowledge HeldAs(const priority::IneligibleRow& row) {
  return {.priority = row.priority.value_or(0), .fair_share = FairShareOf(row), .held_by_limit = 1};
}

}  // namespace

QueuePlaces::QueuePlaces(const priority::Cluster& cluster, absl::Span<const priority::Job> jobs,
                         const priority::Ranking& ranking) {
  places_.reserve(ranking.ranked.size());
  for (const priority::RankedRow& row : ranking.ranked) {
    if (!row.best_of_job) continue;
    const priority::Job& job = jobs[row.job];
    place_of_.emplace(job.job_id, places_.size());
    places_.push_back({row.priority.value_or(0), work_, FairShareOf(row)});
    if (FitsCluster(job, cluster)) work_ += WorkOf(job);
  }
  for (const priority::IneligibleRow& row : ranking.ineligible) {
    held_.emplace(jobs[row.job].job_id, HeldAs(row));
  }
}

forecast::Knowledge QueuePlaces::Of(absl::string_view job_id) const {
  const auto found = place_of_.find(job_id);
  if (found == place_of_.end()) {
    const auto held = held_.find(job_id);
    return held == held_.end() ? forecast::Knowledge() : held->second;
  }
  const Place& place = places_[found->second];
  return At(found->second, place.priority, place.fair_share);
}

forecast::Knowledge QueuePlaces::OfSupposed(const queue::QueueState& state,
                                            const priority::Job& job,
                                            const priority::Ranking& ranked,
                                            absl::Time as_of) const {
  if (!ranked.ineligible.empty()) return HeldAs(ranked.ineligible.front());
  if (ranked.ranked.empty()) return {};
  const priority::RankedRow& row = ranked.ranked.front();
  const uint32_t priority = row.priority.value_or(0);
  const uint8_t accrue_limited = 0;
  const priority::WholeQueue whole = {&state.counts(), absl::MakeConstSpan(&accrue_limited, 1)};
  const absl::Span<const priority::Job> jobs = absl::MakeConstSpan(&job, 1);
  if (!priority::ScoredQueue(state.snapshot(), jobs, as_of, &whole).Startable(0)) {
    return {.priority = priority, .fair_share = FairShareOf(row), .held_by_limit = 1};
  }
  const auto behind = std::find_if(places_.begin(), places_.end(),
                                   [&](const Place& place) { return place.priority < priority; });
  return At(static_cast<size_t>(behind - places_.begin()), priority, FairShareOf(row));
}

forecast::Knowledge QueuePlaces::At(size_t place, uint32_t priority, double fair_share) const {
  const double work = place < places_.size() ? places_[place].work_before : work_;
  return {.jobs_ahead = static_cast<double>(place),
          .work_ahead = work,
          .priority = priority,
          .fair_share = fair_share,
          .held_by_limit = 0};
}

}  // namespace priorityd::forecasts
