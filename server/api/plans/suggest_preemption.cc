#include "server/api/plans/suggest_preemption.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "engine/scheduling/preemption.h"
#include "server/api/plans/convert_plan.h"
#include "server/api/shared/convert_ranking.h"
#include "server/messages/convert_time.h"
#include "server/messages/view.h"
#include "server/threads/work_scope.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using scheduling::PlannedQueue;
using scheduling::Preemption;

void ToProto(const PlannedQueue& queue, const Preemption& preemption, int running,
             v1::PreemptionVictim* victim) {
  const priority::JobRow& row = queue.ranking.running[running];
  const priority::Job& job = queue.jobs[row.job];
  victim->set_job_id(std::string(job.job_id));
  victim->set_user(std::string(job.user));
  victim->set_account(std::string(row.association == priority::kNoAssociation
                                      ? job.account
                                      : queue.snapshot.tree().account(row.association)));
  if (row.partition >= 0) victim->set_partition(queue.snapshot.partitions()[row.partition].name);
  if (row.qos >= 0) victim->set_qos(queue.snapshot.qos()[row.qos].name);
  const std::optional<uint32_t> priority = preemption.PriorityOf(running);
  if (priority.has_value()) victim->set_priority(*priority);
  victim->set_mode(preemption.ModeOf(running));
  rpc::ToProto(preemption.GraceTimeOf(running), victim->mutable_grace_time());
}

void ToProto(const PlannedQueue& queue, const scheduling::DescribedCluster& described,
             const Preemption& preemption, v1::SuggestPreemptionResponse* response) {
  response->set_possible(preemption.victims().has_value());
  response->set_preemptible(static_cast<uint32_t>(preemption.preemptible()));
  if (!preemption.victims().has_value()) return;
  const priority::RankedRow& row = *preemption.row();
  if (row.partition >= 0) response->set_partition(queue.snapshot.partitions()[row.partition].name);
  if (row.qos >= 0) response->set_qos(queue.snapshot.qos()[row.qos].name);
  for (const int running : preemption.victims()->running) {
    ToProto(queue, preemption, running, response->add_victims());
  }
  for (std::string& node : described.NodeNames(preemption.victims()->nodes)) {
    response->add_nodes(std::move(node));
  }
  response->set_fewest(preemption.victims()->fewest);
}

template <typename Row>
bool IsOf(const PlannedQueue& queue, const Row& row, const std::string& job_id) {
  return queue.jobs[row.job].job_id == absl::string_view(job_id.data(), job_id.size());
}

// Answers with the reason that an unranked job cannot preempt.
absl::Status AnswerUnranked(const PlannedQueue& queue, const std::string& job_id,
                            v1::SuggestPreemptionResponse* response) {
  for (const priority::IneligibleRow& row : queue.ranking.ineligible) {
    if (!IsOf(queue, row, job_id)) continue;
    response->set_message(
        absl::StrCat("Job ", job_id, " cannot start, whichever jobs are preempted: ",
                     priority::ReasonName(queue.snapshot.limits(), row.why), "."));
    return absl::OkStatus();
  }
  for (const priority::JobRow& row : queue.ranking.running) {
    if (!IsOf(queue, row, job_id)) continue;
    return errors::WithReason(absl::FailedPreconditionError(absl::StrCat(
                                  "job_id: got ", job_id, ", which runs, want a job that waits")),
                              "JOB_RUNNING");
  }
  return absl::NotFoundError(absl::StrCat("job_id: got ", job_id, ", want a job of the queue"));
}

}  // namespace

absl::Status SuggestPreemption(const PlannedQueue& queue, const v1::ClusterDescription& description,
                               const v1::SuggestPreemptionRequest& request,
                               v1::SuggestPreemptionResponse* response) {
  rpc::ToProto(queue.snapshot, response->mutable_snapshot());
  rpc::ToProto(queue.as_of, response->mutable_as_of());
  const auto described = ToDescribedCluster(queue.snapshot, description, request.placements());
  if (!described.ok()) return described.status();
  std::vector<const priority::RankedRow*> rows;
  for (const priority::RankedRow& row : queue.ranking.ranked) {
    if (IsOf(queue, row, request.job_id())) rows.push_back(&row);
  }
  if (rows.empty()) return AnswerUnranked(queue, request.job_id(), response);
  scheduling::PreemptionOptions options{.whole_nodes = request.whole_nodes()};
  if (request.has_preempt_exempt_time()) {
    options.exempt = ToDuration(request.preempt_exempt_time());
  }
  Preemption preemption(queue, *described, options);
  for (const priority::RankedRow* row : rows) {
    if (absl::Status s = threads::WorkScope::CheckCurrent(); !s.ok()) return s;
    preemption.Try(*row);
  }
  ToProto(queue, *described, preemption, response);
  response->set_message(preemption.Sentence(View(request.job_id())));
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
