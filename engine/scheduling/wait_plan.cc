#include "engine/scheduling/wait_plan.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "engine/scheduling/queue_plan.h"

namespace priorityd::scheduling {
namespace {

// Whether it waits for a limit that a plan can hold.
bool IsPlanned(const priority::IneligibleRow& row) {
  return row.why.reason == priority::Reason::kLimit && row.why.exceeded.has_value() &&
         IsPool(*row.why.exceeded->limit);
}

}  // namespace

WaitPlanner::WaitPlanner(const PlannedQueue& queue, const DescribedCluster& cluster,
                         const SupposedJob* supposed)
    : queue_(queue),
      described_(cluster),
      supposed_(supposed == nullptr ? nullptr : &supposed->job),
      limits_(queue.snapshot, static_cast<int>(cluster.cluster().pools.size())),
      holds_limits_(HoldsLimits(supposed)),
      cluster_(cluster.cluster()) {
  for (const priority::JobRow& row : queue.ranking.running) AddRunning(row);
  for (const Row& row : Rows(supposed)) AddRow(row);
  DropPools();
}

bool WaitPlanner::HoldsLimits(const SupposedJob* supposed) const {
  const priority::Ranking& ranking = queue_.ranking;
  const auto blocked = static_cast<size_t>(
      std::count_if(ranking.ineligible.begin(), ranking.ineligible.end(), IsPlanned));
  const size_t jobs = ranking.ranked.size() + blocked + (supposed == nullptr ? 0 : 1);
  size_t nodes = 0;
  for (const plan::NodeType& type : described_.cluster().types) nodes += type.nodes;
  return std::min(jobs, kMostJobs) * nodes <= kMostWorkOfLimits;
}

void WaitPlanner::AddLimits(const Row& row, plan::Place* place) {
  if (!holds_limits_) return;
  for (const plan::PoolNeed& need : limits_.NeedsOf(*row.job, *row.row)) {
    place->pools.push_back(need);
  }
}

bool WaitPlanner::GoesFirst(const Row& a, const Row& b) const {
  const auto key = [&](const Row& row) {
    const int partition = row.row->partition;
    const uint32_t tier = partition < 0 ? 0 : queue_.snapshot.partitions()[partition].priority_tier;
    return std::pair(tier, row.row->priority.value_or(0));
  };
  return key(a) > key(b);
}

std::vector<WaitPlanner::Row> WaitPlanner::Rows(const SupposedJob* supposed) const {
  std::vector<Row> blocked, rows;
  for (const priority::IneligibleRow& row : queue_.ranking.ineligible) {
    if (holds_limits_ && IsPlanned(row)) blocked.push_back({&queue_.jobs[row.job], &row});
  }
  if (supposed != nullptr) {
    for (const auto& row : supposed->ranking.ranked) blocked.push_back({&supposed->job, &row});
    for (const auto& row : supposed->ranking.ineligible) {
      if (holds_limits_ && IsPlanned(row)) blocked.push_back({&supposed->job, &row});
    }
  }
  const auto goes_first = [&](const Row& a, const Row& b) { return GoesFirst(a, b); };
  std::stable_sort(blocked.begin(), blocked.end(), goes_first);
  auto next = blocked.begin();
  for (const priority::RankedRow& ranked : queue_.ranking.ranked) {
    const Row row = {&queue_.jobs[ranked.job], &ranked};
    for (; next != blocked.end() && GoesFirst(*next, row); ++next) rows.push_back(*next);
    rows.push_back(row);
  }
  rows.insert(rows.end(), next, blocked.end());
  return rows;
}

void WaitPlanner::AddRunning(const priority::JobRow& row) {
  const priority::Job& job = queue_.jobs[row.job];
  plan::RunningJob running = described_.RunningOf(job, row.partition, queue_.as_of);
  AddLimits({&job, &row}, &running.place);
  running_.push_back(std::move(running));
  const absl::Time start = job.start_time.value_or(queue_.as_of);
  runs_.push_back({&job, described_.TimeLimitOf(job, row.partition), queue_.as_of - start});
}

void WaitPlanner::AddRow(const Row& of) {
  const priority::Job& job = *of.job;
  const int partition = of.row->partition;
  const auto [number, is_new] = number_of_.emplace(&job, waiting_.size());
  if (is_new) {
    if (waiting_.size() >= kMostJobs && &job != supposed_) {
      number_of_.erase(number);
      return;
    }
    plan::WaitingJob& waiting = waiting_.emplace_back();
    waiting.request = described_.RequestOf(job, partition);
    waiting.time_limit = described_.TimeLimitOf(job, partition);
    const absl::string_view user = queue_.snapshot.tree().SurvivorOf(job.user);
    waiting.user = users_.emplace(user, users_.size()).first->second;
    waiting.association = static_cast<int>(of.row->association);
    waiting.reserves = Reserves(queue_.snapshot, *of.row);
    jobs_.push_back(&job);
  }
  plan::WaitingJob& waiting = waiting_[number->second];
  plan::Place place = is_new ? described_.PlaceOf(job, partition)
                             : FurtherPlace(described_, job, partition, waiting);
  AddLimits(of, &place);
  waiting.places.push_back(std::move(place));
}

void WaitPlanner::DropPools() {
  const int first = static_cast<int>(cluster_.pools.size());
  cluster_.pools.insert(cluster_.pools.end(), limits_.sizes().begin(), limits_.sizes().end());
  const auto drop = [&](plan::Place* place) {
    const auto never_fills = [&](const plan::PoolNeed& need) {
      return need.pool >= first && !limits_.CanFill(need.pool);
    };
    place->pools.erase(std::remove_if(place->pools.begin(), place->pools.end(), never_fills),
                       place->pools.end());
  };
  for (plan::RunningJob& job : running_) drop(&job.place);
  for (plan::WaitingJob& job : waiting_) {
    for (plan::Place& place : job.places) drop(&place);
  }
}

WaitStarts WaitPlanner::Plan(const plan::PlanOptions& options, RestOf rest_of) const {
  std::vector<plan::RunningJob> running = running_;
  for (size_t i = 0; i < running.size(); ++i) {
    running[i].end = queue_.as_of + rest_of(*runs_[i].job, runs_[i].limit, runs_[i].age);
  }
  std::vector<plan::WaitingJob> waiting = waiting_;
  for (size_t i = 0; i < waiting.size(); ++i) {
    const auto shorten = [&](absl::Duration limit) {
      return std::max(absl::Seconds(1), rest_of(*jobs_[i], limit, absl::ZeroDuration()));
    };
    waiting[i].time_limit = shorten(waiting[i].time_limit);
    for (plan::Place& place : waiting[i].places) {
      if (place.time_limit.has_value()) place.time_limit = shorten(*place.time_limit);
    }
  }
  const auto plans = plan::PlanStarts(cluster_, running, waiting, queue_.as_of, options);
  WaitStarts starts;
  for (size_t i = 0; i < plans.size(); ++i) {
    if (!plans[i].start.has_value()) continue;
    if (jobs_[i] == supposed_) {
      starts.of_supposed = plans[i].start;
    } else {
      starts.of_job.emplace(jobs_[i]->job_id, *plans[i].start);
    }
  }
  return starts;
}

}  // namespace priorityd::scheduling
