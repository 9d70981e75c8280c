#include "server/forecasts/queue_plans.h"

#include <algorithm>

#include "engine/forecast/queue_state.h"
#include "engine/scheduling/plan_options.h"

namespace priorityd::forecasts {
namespace {

// The options of the policy, but for up to kMostJobs jobs, and a window of at least kWindow.
plan::PlanOptions OptionsOf(const priority::Scheduling& policy) {
  constexpr absl::Duration kWindow = absl::Hours(24 * 28);
  plan::PlanOptions options = scheduling::PlanOptionsOf(policy);
  options.max_job_test = scheduling::WaitPlanner::kMostJobs;
  options.window = std::max(options.window, kWindow);
  return options;
}

}  // namespace

absl::flat_hash_map<std::string, int64_t> EarliestStartsOf(const queue::QueueState& state,
                                                           absl::Time now, const Nodes& nodes) {
  absl::flat_hash_map<std::string, int64_t> starts;
  if (nodes == nullptr || !scheduling::HasReservations(state.snapshot(), now)) return starts;
  const auto described = scheduling::DescribedCluster::Make(state.snapshot(), *nodes, {});
  if (!described.ok()) return starts;
  scheduling::EarliestStarts earliest(state.snapshot(), *described, now);
  for (const auto& chunk : state.chunks()) {
    for (size_t i = 0; i < chunk->table().job_id.size(); ++i) {
      const queue::TrackedJob tracked = chunk->job(i);
      if (tracked.job.state != priority::JobState::kPending) continue;
      const absl::Time start = earliest.Of(tracked.job);
      if (start <= now) continue;
      starts.emplace(tracked.job.job_id, absl::ToUnixSeconds(start));
    }
  }
  return starts;
}

QueuePlans::QueuePlans(const scheduling::PlannedQueue& queue, const PlanSource& source)
    : queue_(queue), source_(source) {
  if (source.nodes == nullptr) return;
  auto described = scheduling::DescribedCluster::Make(queue.snapshot, *source.nodes, {});
  if (!described.ok()) return;
  described_.emplace(*std::move(described));
  plans_ = Plan(nullptr);
  if (!scheduling::HasReservations(queue.snapshot, queue.as_of)) return;
  earliest_.emplace(queue.snapshot, *described_, queue.as_of);
  for (const priority::Job& job : queue.jobs) job_of_.emplace(job.job_id, &job);
}

QueuePlans::Both QueuePlans::Plan(const scheduling::SupposedJob* supposed) const {
  const scheduling::WaitPlanner planner(queue_, *described_, supposed);
  const plan::PlanOptions options = OptionsOf(queue_.snapshot.policy().scheduling);
  const auto by_expected = [&](const priority::Job& job, absl::Duration limit, absl::Duration age) {
    return absl::Seconds(forecast::ExpectedRest(source_.run_time(job), absl::ToDoubleSeconds(limit),
                                                absl::ToDoubleSeconds(age)));
  };
  return {planner.Plan(options, scheduling::RestOfLimit), planner.Plan(options, by_expected)};
}

double QueuePlans::WaitUntil(absl::Time start) const {
  return std::max(0.0, absl::ToDoubleSeconds(start - queue_.as_of));
}

void QueuePlans::AddEarliest(const priority::Job& job, forecast::Knowledge* known) const {
  if (earliest_.has_value()) known->earliest_wait = WaitUntil(earliest_->Of(job));
}

void QueuePlans::AddTo(absl::string_view job_id, forecast::Knowledge* known) const {
  const auto wait = [&](const scheduling::WaitStarts& starts) -> std::optional<double> {
    const auto found = starts.of_job.find(job_id);
    if (found == starts.of_job.end()) return std::nullopt;
    return WaitUntil(found->second);
  };
  known->planned_wait = wait(plans_.by_limits);
  known->expected_wait = wait(plans_.by_expected);
  const auto job = job_of_.find(job_id);
  if (job != job_of_.end()) AddEarliest(*job->second, known);
}

void QueuePlans::AddTo(const priority::Job& job, const priority::Ranking& ranking,
                       forecast::Knowledge* known) const {
  if (!described_.has_value()) return;
  const scheduling::SupposedJob supposed = {job, ranking};
  const Both plans = Plan(&supposed);
  const auto wait = [&](const std::optional<absl::Time>& start) -> std::optional<double> {
    if (!start.has_value()) return std::nullopt;
    return WaitUntil(*start);
  };
  known->planned_wait = wait(plans.by_limits.of_supposed);
  known->expected_wait = wait(plans.by_expected.of_supposed);
  AddEarliest(job, known);
}

}  // namespace priorityd::forecasts
