#include "engine/scheduling/queue_plan.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/explanation/limit_text.h"
#include "engine/explanation/time_text.h"
#include "engine/plan/occupancy.h"
#include "engine/scheduling/start_limits.h"

namespace priorityd::scheduling {

// Notes the limits that hold jobs.
class QueuePlan::Gate : public plan::StartGate {
 public:
  explicit Gate(QueuePlan* plan) : plan_(*plan), limits_(plan->queue_) {}

  bool empty() const { return limits_.empty(); }

  bool MayStart(size_t job, size_t place) override {
    const auto exceeded = limits_.FirstExceeded(*plan_.rows_[job][place]);
    if (exceeded.has_value()) plan_.limits_.emplace(job, *exceeded);
    return !exceeded.has_value();
  }
  void Start(size_t job, size_t place) override { limits_.Start(*plan_.rows_[job][place]); }

 private:
  QueuePlan& plan_;
  StartLimits limits_;
};

QueuePlan::QueuePlan(const PlannedQueue& queue, const DescribedCluster& cluster,
                     const plan::PlanOptions& options)
    : queue_(queue), cluster_(cluster) {
  for (const priority::JobRow& row : queue.ranking.running) {
    running_.push_back(cluster.RunningOf(queue.jobs[row.job], row.partition, queue.as_of));
  }
  for (const priority::RankedRow& row : queue.ranking.ranked) AddRow(row);
  Gate gate(this);
  plans_ = plan::PlanStarts(cluster.cluster(), running_, waiting_, queue.as_of, options,
                            gate.empty() ? nullptr : &gate);
}

void QueuePlan::AddRow(const priority::RankedRow& row) {
  const priority::Job& job = queue_.jobs[row.job];
  const auto [number, is_new] = number_of_.emplace(row.job, waiting_.size());
  if (is_new) {
    plan::WaitingJob& waiting = waiting_.emplace_back();
    waiting.request = cluster_.RequestOf(job, row.partition);
    waiting.time_limit = cluster_.TimeLimitOf(job, row.partition);
    const absl::string_view user = queue_.snapshot.tree().SurvivorOf(job.user);
    waiting.user = users_.emplace(user, users_.size()).first->second;
    waiting.association = static_cast<int>(row.association);
    waiting.reserves = scheduling::Reserves(queue_.snapshot, row);
    rows_.emplace_back();
  }
  plan::WaitingJob& waiting = waiting_[number->second];
  waiting.places.push_back(is_new ? cluster_.PlaceOf(job, row.partition)
                                  : FurtherPlace(cluster_, job, row.partition, waiting));
  rows_[number->second].push_back(&row);
}

bool Reserves(const priority::Snapshot& snapshot, const priority::JobRow& row) {
  if (row.qos < 0) return true;
  const priority::Qos& qos = snapshot.qos()[row.qos];
  return !qos.no_reserve && row.priority.value_or(0) >= qos.min_prio_thresh.value_or(0);
}

plan::Place FurtherPlace(const DescribedCluster& cluster, const priority::Job& job, int partition,
                         const plan::WaitingJob& waiting) {
  plan::Place place = cluster.PlaceOf(job, partition);
  plan::Request request = cluster.RequestOf(job, partition);
  if (request.per_node != waiting.request.per_node) place.request = std::move(request);
  const absl::Duration limit = cluster.TimeLimitOf(job, partition);
  if (limit != waiting.time_limit) place.time_limit = limit;
  return place;
}

const priority::JobRow* QueuePlan::Behind(size_t job) const {
  const plan::JobPlan& plan = plans_[job];
  if (plan.behind_waiting >= 0) return &first_row(plan.behind_waiting);
  if (plan.behind_running >= 0) return &queue_.ranking.running[plan.behind_running];
  return nullptr;
}

StartReason QueuePlan::ReasonOf(size_t job, absl::string_view behind) const {
  const plan::JobPlan& plan = plans_[job];
  const std::string needs = cluster_.Describe(waiting_[job].RequestAt(plan.place));
  switch (plan.wait) {
    case plan::Wait::kResources:
      if (const auto* closing = DelayingReservation(job); closing != nullptr) {
        return {"ReqNodeNotAvail",
                absl::StrCat("It needs ", needs, ", and reservation ", closing->name,
                             closing->maint ? " for maintenance" : "",
                             " has nodes of its partition; ", ExpectedStart(job), ".")};
      }
      return {
          "Resources",
          absl::StrCat("It needs ", needs, ", and not enough are free; ", ExpectedStart(job),
                       behind.empty() ? "" : absl::StrCat(", when job ", behind, " ends"), ".")};
    case plan::Wait::kPriority:
      return {"Priority",
              absl::StrCat("It needs ", needs, ", which are free, and ",
                           behind.empty() ? "another job" : absl::StrCat("job ", behind),
                           " before it would have to wait longer; ", ExpectedStart(job), ".")};
    case plan::Wait::kPool:
      return {cluster_.IsPartitionCap(plan.pool) ? "PartitionNodeCap" : "Licenses",
              absl::StrCat("Of what ", cluster_.DescribePool(plan.pool), " too few are left; ",
                           ExpectedStart(job), ".")};
    case plan::Wait::kGate: {
      const priority::ExceededLimit& limit = limits_.at(job);
      return {
          std::string(queue_.snapshot.limits().WordOf(*limit.limit)),
          absl::StrCat("Jobs that start before it count against a limit: ",
                       explanation::LimitText(queue_.snapshot, row(job).association, limit), ".")};
    }
    case plan::Wait::kNeverFits:
      if (const auto* own = ReservationOf(job); own != nullptr) {
        return {"Reservation", absl::StrCat("It needs ", needs, ", for which reservation ",
                                            own->name, " has too few nodes.")};
      }
      if (const int pool = TooSmallPool(job); pool >= 0) {
        return {"BadConstraints",
                absl::StrCat("It never fits: ", cluster_.DescribePool(pool), ".")};
      }
      return {
          "BadConstraints",
          absl::StrCat("It needs ", needs, ", which its partitions do not have, also when idle.")};
    default:
      return {"", absl::StrCat("It may start now on ",
                               absl::StrJoin(cluster_.NodeNames(plan.nodes), ","), ".")};
  }
}

int QueuePlan::TooSmallPool(size_t job) const {
  int first = -1;
  for (const plan::Place& place : waiting_[job].places) {
    const auto too_small = absl::c_find_if(place.pools, [&](const plan::PoolNeed& need) {
      return cluster_.cluster().pools[need.pool] < need.amount;
    });
    if (too_small == place.pools.end()) return -1;
    if (first < 0) first = too_small->pool;
  }
  return first;
}

const priority::Reservation* QueuePlan::ReservationOf(size_t job) const {
  const absl::string_view name = queue_.jobs[first_row(job).job].reservation;
  return name.empty() ? nullptr : queue_.snapshot.FindReservation(name);
}

const priority::Reservation* QueuePlan::DelayingReservation(size_t job) const {
  if (ReservationOf(job) != nullptr || Behind(job) != nullptr) return nullptr;
  const plan::WaitingJob& waiting = waiting_[job];
  for (size_t place = 0; place < waiting.places.size(); ++place) {
    const priority::Reservation* closing = cluster_.ClosingOf(
        waiting.places[place], queue_.as_of, queue_.as_of + waiting.TimeLimitAt(place));
    if (closing != nullptr) return closing;
  }
  return nullptr;
}

std::string QueuePlan::ExpectedStart(size_t job) const {
  const plan::JobPlan& plan = plans_[job];
  if (plan.start.has_value()) {
    return absl::StrCat("it is expected to start at ",
                        explanation::MomentText(*plan.start, queue_.snapshot.policy().time_zone));
  }
  return waiting_[job].reserves ? "no start is planned within bf_window"
                                : "its QOS reserves no nodes for it, so no start is planned";
}

uint32_t QueuePlan::CountRunningWithoutNodes() const {
  uint32_t without = 0;
  const plan::Occupancy occupancy = plan::Occupy(cluster_.cluster(), running_);
  for (size_t job = 0; job < running_.size(); ++job) without += occupancy.nodes[job].empty();
  return without;
}

}  // namespace priorityd::scheduling
