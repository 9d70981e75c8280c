#include "server/api/budgets/estimate_job_cost.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "engine/errors/error_details.h"
#include "engine/explanation/reason_text.h"
#include "engine/priority/limits/reason.h"
#include "server/api/budgets/convert_budget.h"
#include "server/api/shared/convert_job.h"
#include "server/api/shared/convert_ranking.h"
#include "server/budgets/job_cost.h"
#include "server/transport/viewer.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

absl::Status UnknownJob(const std::string& job_id) {
  return errors::WithReason(
      absl::NotFoundError(absl::StrCat("job_id: got ", job_id, ", want one of the jobs")),
      "UNKNOWN_JOB");
}

// Texts point into the packed jobs of the state.
std::optional<priority::Job> FindTracked(const queue::QueueState& state, absl::string_view job_id) {
  for (const auto& chunk : state.chunks()) {
    const std::vector<absl::string_view>& ids = chunk->table().job_id;
    for (size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] == job_id) return chunk->job(i).job;
    }
  }
  return std::nullopt;
}

absl::StatusOr<priority::Job> PickInline(absl::Span<const priority::Job> jobs,
                                         const std::string& job_id) {
  if (job_id.empty() && jobs.size() == 1) return jobs.front();
  for (const priority::Job& job : jobs) {
    if (job.job_id == absl::string_view(job_id.data(), job_id.size())) return job;
  }
  return UnknownJob(job_id.empty() ? "none" : job_id);
}

// The reason with what the job has; empty where the reason says all.
std::string DetailOf(const priority::Snapshot& snapshot, const priority::Job& job,
                     priority::Reason why) {
  const bool is_of_names =
      why == priority::Reason::kInvalidAccount || why == priority::Reason::kInvalidPartition;
  if (is_of_names) return explanation::ReasonText(snapshot, job, {}, {why, {}});
  return std::string(job.violation);
}

absl::Status Estimate(const Caller& caller, const priority::Snapshot& snapshot, priority::Job job,
                      const budgets::RunningUsage& running, v1::EstimateJobCostResponse* response) {
  const bool with_shares = SeesShares(caller.sees(), snapshot, job);
  // A running job costs as much as if it waited.
  job.state = priority::JobState::kPending;
  priority::Reason why = priority::Reason::kNone;
  const auto costs = budgets::CostsOf(snapshot, job, running, &why);
  if (costs.empty()) {
    const std::string detail = DetailOf(snapshot, job, why);
    return errors::WithReason(absl::FailedPreconditionError(
                                  absl::StrCat("job ", job.job_id, ": ", priority::ReasonName(why),
                                               detail.empty() ? "" : ": ", detail)),
                              "INVALID_JOB");
  }
  for (const budgets::JobCost& cost : costs) {
    ToProto(snapshot, job, cost, with_shares, response->add_costs());
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status EstimateJobCost(const Caller& caller, const queue::QueueState& state,
                             const budgets::RunningUsage& running,
                             const v1::EstimateJobCostRequest& request,
                             v1::EstimateJobCostResponse* response) {
  const priority::Snapshot& snapshot = state.snapshot();
  ToProto(snapshot, response->mutable_snapshot());
  if (request.has_tracked()) {
    const auto job = FindTracked(state, {request.job_id().data(), request.job_id().size()});
    if (!job.has_value() || !SeesJob(caller.sees(), snapshot, *job)) {
      return UnknownJob(request.job_id());
    }
    return Estimate(caller, snapshot, *job, running, response);
  }
  const InlineQueue queue(request.jobs().jobs());
  absl::Status may = CheckInlineJobs(caller, snapshot, queue.jobs());
  if (!may.ok()) return may;
  const auto job = PickInline(queue.jobs(), request.job_id());
  if (!job.ok()) return job.status();
  return Estimate(caller, snapshot, *job, running, response);
}

}  // namespace priorityd::rpc
