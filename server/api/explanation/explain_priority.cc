#include "server/api/explanation/explain_priority.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "engine/explanation/comparison.h"
#include "engine/explanation/explanation.h"
#include "server/api/explanation/convert_comparison.h"
#include "server/api/explanation/convert_explanation.h"
#include "server/api/shared/convert_job.h"
#include "server/api/site_factor/site_factor_source.h"
#include "server/authorization/rights_table.h"
#include "server/messages/convert_time.h"
#include "server/messages/view.h"
#include "server/queue/state/queue_explanation.h"
#include "server/transport/viewer.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

// The pick of a request or of its compare_to.
template <typename Request>
explanation::RowPick PickOf(const Request& request) {
  return {View(request.job_id()), View(request.partition()), View(request.qos())};
}

absl::Status ExplainError(const absl::Status& status) {
  return absl::IsNotFound(status) ? errors::WithReason(status, "UNKNOWN_JOB") : status;
}

absl::Status CheckShares(const Caller& caller, const priority::Snapshot& snapshot,
                         absl::Span<const priority::Job> jobs) {
  for (const priority::Job& job : jobs) {
    if (SeesShares(caller.sees(), snapshot, job)) continue;
    return authorization::SeeAllRequired(
        absl::StrCat("job ", job.job_id, " of another user, whose shares are private"),
        caller.roles, caller.ToString());
  }
  return absl::OkStatus();
}

// The source of the job's site factor, and of a pending job the reason, if the service gives one. A
// service whose last call failed is not asked.
absl::Status SetSource(queue::TrackedQueues& queues, site_factor::Reasons& reasons,
                       const std::string& cluster, const queue::QueueExplanation& explained,
                       v1::ExplainPriorityResponse* response) {
  const auto source = queues.FindSiteFactorSource(View(cluster));
  if (!source.ok()) return source.status();
  if (!source->has_value()) return absl::OkStatus();
  const priority::Snapshot& snapshot = explained.state->snapshot();
  const bool answered = explained.tracked.site_factor_answered;
  SetSiteFactorSource(**source, answered, snapshot.policy().time_zone, response);
  const bool waits = explained.tracked.job.state == priority::JobState::kPending;
  if (!answered || !waits || !(*source)->failure.empty()) return absl::OkStatus();
  queue::TrackedJob asked = explained.tracked;
  asked.job.account = response->account();
  if (const auto reason = reasons.Ask(snapshot, asked); reason.has_value()) {
    AddSiteFactorReason(*reason, asked.job.site_factor, response);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ExplainInline(const Caller& caller, const priority::Snapshot& snapshot,
                           absl::Time as_of, const v1::ExplainPriorityRequest& request,
                           v1::ExplainPriorityResponse* response) {
  const InlineQueue queue(request.jobs().jobs());
  absl::Status may = CheckInlineJobs(caller, snapshot, queue.jobs());
  if (!may.ok()) return may;
  const explanation::RowPick pick = PickOf(request);
  const auto explanation = priorityd::explanation::Explain(
      snapshot, queue.jobs(),
      {.as_of = as_of, .job_id = pick.job_id, .partition = pick.partition, .qos = pick.qos});
  if (!explanation.ok()) return ExplainError(explanation.status());
  ToProto(snapshot, queue.jobs()[explanation->row.job], *explanation, response);
  ToProto(as_of, response->mutable_as_of());
  if (!request.has_compare_to()) return absl::OkStatus();
  const auto comparison = explanation::Compare(
      snapshot, queue.jobs(),
      {.as_of = as_of, .job = pick, .compare_to = PickOf(request.compare_to())});
  if (!comparison.ok()) return ExplainError(comparison.status());
  ToProto(snapshot, queue.jobs(), *comparison, response->mutable_comparison());
  return absl::OkStatus();
}

absl::Status ExplainTracked(const Caller& caller, queue::TrackedQueues& queues,
                            site_factor::Reasons& reasons,
                            std::shared_ptr<const queue::QueueState> state, absl::Time as_of,
                            const v1::ExplainPriorityRequest& request,
                            v1::ExplainPriorityResponse* response) {
  const priority::Snapshot& snapshot = state->snapshot();
  const queue::JobFilter shown = ShownJobs(caller.sees(), snapshot);
  const auto explained = queue::Explain(state, as_of, PickOf(request), shown);
  if (!explained.ok()) return ExplainError(explained.status());
  if (absl::Status s = CheckShares(caller, snapshot, explained->jobs); !s.ok()) return s;
  ToProto(snapshot, explained->jobs.front(), explained->explanation, response);
  if (!explained->leased.empty()) response->add_sentences(explained->leased);
  for (const std::string& sentence : explained->waits_for) response->add_sentences(sentence);
  absl::Status source = SetSource(queues, reasons, request.cluster(), *explained, response);
  if (!source.ok()) return source;
  ToProto(as_of, response->mutable_as_of());
  if (!request.has_compare_to()) return absl::OkStatus();
  const auto compared =
      queue::Compare(state, as_of, PickOf(request), PickOf(request.compare_to()), shown);
  if (!compared.ok()) return ExplainError(compared.status());
  if (absl::Status s = CheckShares(caller, snapshot, compared->jobs); !s.ok()) return s;
  ToProto(snapshot, compared->jobs, compared->comparison, response->mutable_comparison());
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
