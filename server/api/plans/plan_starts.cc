#include "server/api/plans/plan_starts.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "engine/plan/plan.h"
#include "engine/scheduling/plan_options.h"
#include "engine/scheduling/queue_plan.h"
#include "server/api/plans/convert_plan.h"
#include "server/api/plans/validate_plan.h"
#include "server/api/shared/convert_ranking.h"
#include "server/messages/convert_time.h"
#include "server/messages/view.h"
#include "server/threads/work_scope.h"
#include "server/transport/viewer.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using scheduling::PlannedQueue;

// Rows of jobs that a limit holds count for no cap.
constexpr size_t kRowsUnderLimits = 10'000;

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

// 0 leaves the option as it is. No option counts more jobs than a plan considers.
void Override(uint32_t value, int* option) {
  constexpr int kMost = static_cast<int>(kMaxJobTest);
  *option = std::min(value > 0 ? static_cast<int>(std::min(value, kMaxJobTest)) : *option, kMost);
}

plan::PlanOptions ToOptions(const v1::PlanStartsRequest& request,
                            const priority::Scheduling& policy) {
  plan::PlanOptions options = scheduling::PlanOptionsOf(policy);
  if (request.backfill() != v1::BACKFILL_UNSPECIFIED) {
    options.backfill = ToBackfill(request.backfill());
  }
  Override(request.bf_max_job_test(), &options.max_job_test);
  Override(request.bf_max_job_user(), &options.max_job_user);
  Override(request.bf_max_job_assoc(), &options.max_job_assoc);
  Override(request.bf_max_job_part(), &options.max_job_part);
  if (request.has_bf_window()) options.window = ToDuration(request.bf_window());
  return options;
}

void ToProto(const PlannedQueue& queue, const scheduling::DescribedCluster& described,
             const scheduling::QueuePlan& planned, size_t job,
             const authorization::Visibility& sees, v1::PlannedStart* proto) {
  const plan::JobPlan& plan = planned.plan(job);
  const priority::RankedRow& row = planned.row(job);
  proto->set_job_id(std::string(queue.jobs[row.job].job_id));
  if (row.partition >= 0) proto->set_partition(queue.snapshot.partitions()[row.partition].name);
  if (row.qos >= 0) proto->set_qos(queue.snapshot.qos()[row.qos].name);
  proto->set_rank(planned.first_row(job).rank);
  proto->set_starts_now(plan.wait == plan::Wait::kNone);
  proto->set_reserved(plan.reserved);
  proto->set_backfilled(plan.backfilled);
  if (plan.start.has_value()) rpc::ToProto(*plan.start, proto->mutable_expected_start());
  for (std::string& node : described.NodeNames(plan.nodes)) proto->add_nodes(std::move(node));
  // Names the job it waits for only if the caller may see it.
  const priority::JobRow* behind = planned.Behind(job);
  if (behind != nullptr && SeesJob(sees, queue.snapshot, queue.jobs[behind->job])) {
    proto->set_behind_job_id(std::string(queue.jobs[behind->job].job_id));
  }
  scheduling::StartReason why = planned.ReasonOf(job, View(proto->behind_job_id()));
  proto->set_reason(std::move(why.reason));
  proto->set_message(std::move(why.sentence));
}

}  // namespace

priority::RankOptions RankOptionsOf(const v1::PlanStartsRequest& request,
                                    const priority::Snapshot& snapshot) {
  const plan::PlanOptions plan = ToOptions(request, snapshot.policy().scheduling);
  priority::RankOptions options{.ineligible_limit = 0};
  if (plan.HasCaps()) return options;
  const int tested = std::max(plan.max_job_test, plan::PlanOptions().max_job_test);
  options.limit = tested * scheduling::kRowsOfPlannedJob;
  if (!snapshot.limits().empty()) options.limit = std::max(options.limit, kRowsUnderLimits);
  return options;
}

absl::Status PlanStarts(const Caller& caller, const PlannedQueue& queue,
                        const v1::ClusterDescription& description,
                        const v1::PlanStartsRequest& request, v1::PlanStartsResponse* response) {
  const auto described = ToDescribedCluster(queue.snapshot, description, request.placements());
  if (!described.ok()) return described.status();
  plan::PlanOptions options = ToOptions(request, queue.snapshot.policy().scheduling);
  options.must_stop = [] { return !threads::WorkScope::CheckCurrent().ok(); };
  const scheduling::QueuePlan planned(queue, *described, options);
  if (absl::Status s = threads::WorkScope::CheckCurrent(); !s.ok()) return s;
  const absl::flat_hash_set<std::string> wanted(request.job_ids().begin(), request.job_ids().end());
  uint32_t not_looked_at = static_cast<uint32_t>(queue.left_out);
  uint32_t others = 0;
  for (size_t i = 0; i < planned.size(); ++i) {
    const priority::Job& job = queue.jobs[planned.row(i).job];
    if (planned.plan(i).wait == plan::Wait::kNotLookedAt) {
      ++not_looked_at;
    } else if (!SeesJob(caller.sees(), queue.snapshot, job) ||
               !(wanted.empty() || wanted.contains(std::string(job.job_id)))) {
      ++others;
    } else {
      ToProto(queue, *described, planned, i, caller.sees(), response->add_starts());
    }
  }
  response->set_not_looked_at(not_looked_at);
  response->set_others(others);
  response->set_running_without_nodes(planned.CountRunningWithoutNodes());
  rpc::ToProto(queue.snapshot, response->mutable_snapshot());
  rpc::ToProto(queue.as_of, response->mutable_as_of());
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
