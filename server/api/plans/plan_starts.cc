#include "server/api/plans/plan_starts.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/explanation/time_text.h"
#include "engine/plan/occupancy.h"
#include "engine/plan/plan.h"
#include "server/api/plans/convert_plan.h"
#include "server/api/plans/validate_plan.h"
#include "server/api/shared/convert_ranking.h"
#include "server/messages/convert_time.h"
#include "server/transport/viewer.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

plan::Backfill ToBackfill(v1::Backfill backfill) {
  switch (backfill) {
    case v1::BACKFILL_CONSERVATIVE:
      return plan::Backfill::kConservative;
    case v1::BACKFILL_NONE:
      return plan::Backfill::kNone;
    default:
      return plan::Backfill::kEasy;
  }
}

plan::PlanOptions ToOptions(const v1::PlanStartsRequest& request) {
  const uint32_t jobs = request.bf_max_job_test();
  plan::PlanOptions options{
      .backfill = ToBackfill(request.backfill()),
      .max_job_test = static_cast<int>(jobs == 0 ? kDefaultJobTest : jobs),
      .max_job_user = static_cast<int>(std::min(request.bf_max_job_user(), kMaxJobTest)),
      .max_job_assoc = static_cast<int>(std::min(request.bf_max_job_assoc(), kMaxJobTest)),
      .max_job_part = static_cast<int>(std::min(request.bf_max_job_part(), kMaxJobTest)),
  };
  if (request.has_bf_window()) options.window = ToDuration(request.bf_window());
  return options;
}

// Converts the plan of a queue to a response.
class PlanResponse {
 public:
  PlanResponse(const Caller& caller, const PlannedQueue& queue, const DescribedCluster& described,
               const v1::PlanStartsRequest& request)
      : caller_(caller),
        queue_(queue),
        described_(described),
        job_ids_(request.job_ids().begin(), request.job_ids().end()) {
    for (const priority::JobRow& row : queue.ranking.running) {
      running_.push_back(described.RunningOf(queue.jobs[row.job], row.partition, queue.as_of));
    }
    for (const priority::RankedRow& row : queue.ranking.ranked) AddRow(row);
    plans_ =
        plan::PlanStarts(described.cluster(), running_, waiting_, queue.as_of, ToOptions(request));
  }

  void Fill(v1::PlanStartsResponse* response) {
    uint32_t not_looked_at = static_cast<uint32_t>(queue_.left_out);
    uint32_t others = 0;
    for (size_t i = 0; i < plans_.size(); ++i) {
      if (plans_[i].wait == plan::Wait::kNotLookedAt) {
        ++not_looked_at;
      } else if (!IsWanted(RowOf(i))) {
        ++others;
      } else {
        Fill(i, response->add_starts());
      }
    }
    response->set_not_looked_at(not_looked_at);
    response->set_others(others);
    response->set_running_without_nodes(RunningWithoutNodes());
    rpc::ToProto(queue_.snapshot, response->mutable_snapshot());
    rpc::ToProto(queue_.as_of, response->mutable_as_of());
  }

 private:
  // A job's first row adds it to the waiting jobs; each row adds a place.
  void AddRow(const priority::RankedRow& row) {
    const priority::Job& job = queue_.jobs[row.job];
    const auto [number, is_new] = number_of_.emplace(row.job, waiting_.size());
    if (is_new) {
      plan::WaitingJob& waiting = waiting_.emplace_back();
      waiting.request = described_.RequestOf(job);
      waiting.time_limit = described_.TimeLimitOf(job, row.partition);
      waiting.user = users_.emplace(job.user, users_.size()).first->second;
      waiting.association = static_cast<int>(row.association);
      waiting.reserves = Reserves(row);
      rows_.emplace_back();
    }
    waiting_[number->second].places.push_back(described_.PlaceOf(job, row.partition));
    rows_[number->second].push_back(&row);
  }

  // From the QOS's flag NoReserve and its MinPrioThresh.
  bool Reserves(const priority::RankedRow& row) const {
    if (row.qos < 0) return true;
    const priority::Qos& qos = queue_.snapshot.qos()[row.qos];
    return !qos.no_reserve && row.priority.value_or(0) >= qos.min_prio_thresh.value_or(0);
  }

  const priority::RankedRow& RowOf(size_t waiting) const {
    return *rows_[waiting][plans_[waiting].place];
  }

  bool Sees(const priority::JobRow& row) const {
    return SeesJob(caller_.sees(), queue_.snapshot, queue_.jobs[row.job]);
  }

  bool IsWanted(const priority::JobRow& row) const {
    if (!Sees(row)) return false;
    const absl::string_view id = queue_.jobs[row.job].job_id;
    return job_ids_.empty() || job_ids_.contains(std::string(id));
  }

  uint32_t RunningWithoutNodes() const {
    uint32_t without = 0;
    const plan::Occupancy occupancy = plan::Occupy(described_.cluster(), running_);
    for (size_t job = 0; job < running_.size(); ++job) {
      without += occupancy.nodes[job].empty();
    }
    return without;
  }

  void Fill(size_t waiting, v1::PlannedStart* start) const {
    const plan::JobPlan& plan = plans_[waiting];
    const priority::RankedRow& row = RowOf(waiting);
    start->set_job_id(std::string(queue_.jobs[row.job].job_id));
    if (row.partition >= 0) {
      start->set_partition(queue_.snapshot.partitions()[row.partition].name);
    }
    if (row.qos >= 0) start->set_qos(queue_.snapshot.qos()[row.qos].name);
    start->set_rank(rows_[waiting][0]->rank);
    start->set_starts_now(plan.wait == plan::Wait::kNone);
    start->set_reserved(plan.reserved);
    start->set_backfilled(plan.backfilled);
    if (plan.start.has_value()) rpc::ToProto(*plan.start, start->mutable_expected_start());
    for (std::string& node : described_.NodeNames(plan.nodes)) {
      start->add_nodes(std::move(node));
    }
    TellWhy(waiting, start);
  }

  // Why it does not start now; names the job it waits for only if the caller may see it.
  void TellWhy(size_t waiting, v1::PlannedStart* start) const {
    const plan::JobPlan& plan = plans_[waiting];
    const priority::JobRow* behind = nullptr;
    if (plan.behind_running >= 0) behind = &queue_.ranking.running[plan.behind_running];
    if (plan.behind_waiting >= 0) behind = rows_[plan.behind_waiting][0];
    if (behind != nullptr && Sees(*behind)) {
      start->set_behind_job_id(std::string(queue_.jobs[behind->job].job_id));
    }
    const std::string wants = described_.Describe(waiting_[waiting].request);
    const std::string& who = start->behind_job_id();
    switch (plan.wait) {
      case plan::Wait::kResources:
        start->set_reason("Resources");
        start->set_message(absl::StrCat("It wants ", wants, ", and not enough are free; ",
                                        When(plan),
                                        who.empty() ? "" : ", when job " + who + " ends", "."));
        break;
      case plan::Wait::kPriority:
        start->set_reason("Priority");
        start->set_message(absl::StrCat("It wants ", wants, ", which are free, and job ",
                                        who.empty() ? "another" : who,
                                        " before it would have to wait longer; ", When(plan), "."));
        break;
      case plan::Wait::kPool: {
        const int pool = waiting_[waiting].places[plan.place].pools[plan.pool].pool;
        start->set_reason(described_.IsPartitionCap(pool) ? "PartitionNodeCap" : "Licenses");
        start->set_message(absl::StrCat("Of what ", described_.DescribePool(pool),
                                        " too few are left; ", When(plan), "."));
        break;
      }
      case plan::Wait::kNeverFits:
        start->set_reason("BadConstraints");
        start->set_message(absl::StrCat("It wants ", wants,
                                        ", which its partitions do not have, also when idle."));
        break;
      default:
        start->set_message(
            absl::StrCat("It may start now on ", absl::StrJoin(start->nodes(), ","), "."));
    }
  }

  std::string When(const plan::JobPlan& plan) const {
    if (!plan.start.has_value()) return "no start within bf_window is foretold";
    return absl::StrCat(
        "it is expected to start at ",
        priorityd::explanation::MomentText(*plan.start, queue_.snapshot.policy().time_zone));
  }

  const Caller& caller_;
  const PlannedQueue& queue_;
  const DescribedCluster& described_;
  const absl::flat_hash_set<std::string> job_ids_;
  std::vector<plan::RunningJob> running_;
  std::vector<plan::WaitingJob> waiting_;
  // Of each waiting job, in order of its places.
  std::vector<std::vector<const priority::RankedRow*>> rows_;
  absl::flat_hash_map<uint32_t, size_t> number_of_;
  absl::flat_hash_map<absl::string_view, int> users_;
  std::vector<plan::JobPlan> plans_;
};

}  // namespace

absl::Status PlanStarts(const Caller& caller, const PlannedQueue& queue,
                        const v1::PlanStartsRequest& request, v1::PlanStartsResponse* response) {
  const auto described =
      DescribedCluster::Make(queue.snapshot, request.description(), request.placements());
  if (!described.ok()) return described.status();
  PlanResponse(caller, queue, *described, request).Fill(response);
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
