#include "server/rpc/priority_service.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "server/errors/error_details.h"
#include "server/explanation/comparison.h"
#include "server/explanation/explanation.h"
#include "server/explanation/policy_lint.h"
#include "server/priority/ranking.h"
#include "server/queue/state/queue_explanation.h"
#include "server/queue/state/queue_ranking.h"
#include "server/rpc/call.h"
#include "server/rpc/convert_comparison.h"
#include "server/rpc/convert_explanation.h"
#include "server/rpc/convert_job.h"
#include "server/rpc/convert_lint.h"
#include "server/rpc/convert_ranking.h"
#include "server/rpc/convert_time.h"
#include "server/rpc/convert_usage.h"
#include "server/rpc/list_share_history.h"
#include "server/rpc/list_shares.h"
#include "server/rpc/report_usage.h"
#include "server/rpc/simulate.h"
#include "server/rpc/site_factor_source.h"
#include "server/rpc/status.h"
#include "server/rpc/update_jobs.h"
#include "server/rpc/validate_simulation.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using authorization::Rpc;

absl::string_view View(const std::string& text) { return {text.data(), text.size()}; }

std::vector<absl::string_view> Views(const google::protobuf::RepeatedPtrField<std::string>& texts) {
  std::vector<absl::string_view> views;
  for (const std::string& text : texts) views.push_back(View(text));
  return views;
}

absl::Status ExplainError(const absl::Status& status) {
  return absl::IsNotFound(status) ? errors::WithReason(status, "UNKNOWN_JOB") : status;
}

}  // namespace

PriorityService::PriorityService(Options options)
    : options_(std::move(options)),
      streams_(
          options_.storing, options_.boundary,
          [this](const v1::RecordUsageRequest& batch, EarlierFailed earlier_failed, Done done) {
            auto room = options_.boundary->admission().Admit(batch);
            if (!room.ok()) return done(room.status());
            auto place = options_.recorder->Reserve(batch.records_size());
            if (!place.ok()) return done(place.status());
            Record(
                batch, *std::move(place),
                [done = std::move(done), room = *std::move(room)](
                    absl::StatusOr<usage::RecordResults> results) { done(std::move(results)); },
                std::move(earlier_failed));
          }),
      watches_({.registry = options_.registry,
                .queues = options_.queues,
                .boundary = options_.boundary,
                .computing = options_.computing,
                .now = [this](const priority::Snapshot& snapshot) { return Now(snapshot); },
                .real_clock = options_.clocks.real,
                .set_staleness = [this](v1::Snapshot* snapshot) { SetStaleness(snapshot); }}) {
  SetMessageAllocatorFor_RankJobs(&rank_messages_);
  SetMessageAllocatorFor_RecordUsage(&record_messages_);
}

absl::Time PriorityService::Now(const priority::Snapshot& snapshot) const {
  return snapshot.policy().clock == priority::ClockMode::kManual ? snapshot.computed_at()
                                                                 : options_.clocks.site();
}

template <typename Request>
absl::Time PriorityService::AsOf(const Request& request, const priority::Snapshot& snapshot) const {
  return request.has_as_of() ? ToTime(request.as_of()) : Now(snapshot);
}

void PriorityService::SetStaleness(v1::Snapshot* snapshot) const {
  const absl::Duration stale_for = options_.registry->StaleFor();
  if (stale_for > absl::ZeroDuration()) ToProto(stale_for, snapshot->mutable_stale_for());
}

absl::Status PriorityService::Rank(const v1::RankJobsRequest& request,
                                   v1::RankJobsResponse* response) const {
  if (absl::Status s = Validate(request, options_.limits); !s.ok()) return s;
  const std::vector<absl::string_view> partitions = Views(request.partitions());
  const std::vector<absl::string_view> accounts = Views(request.accounts());
  const std::vector<absl::string_view> users = Views(request.users());
  priority::RankOptions options;
  if (request.limit() > 0) options.limit = request.limit();
  if (request.has_ineligible_limit()) options.ineligible_limit = request.ineligible_limit();
  options.best_only = request.best_only();
  options.with_factors = request.view() == v1::RANK_VIEW_FULL;
  options.partitions = partitions;
  options.accounts = accounts;
  options.users = users;
  if (request.has_tracked()) return RankTracked(request, options, response);
  auto snapshot = options_.registry->Find(View(request.cluster()));
  if (!snapshot.ok()) return snapshot.status();
  options.as_of = AsOf(request, **snapshot);
  const InlineQueue queue(request.jobs().jobs());
  priority::Ranking ranking = priorityd::priority::Rank(**snapshot, queue.jobs(), options);
  const size_t running_total = ranking.running.size();
  if (request.has_running_limit() && request.running_limit() < running_total) {
    ranking.running.erase(ranking.running.begin() + request.running_limit(), ranking.running.end());
  }
  ToProto(**snapshot, queue.jobs(), ranking, request.view(), response);
  response->set_running_total(static_cast<uint32_t>(running_total));
  ToProto(options.as_of, response->mutable_as_of());
  SetStaleness(response->mutable_snapshot());
  return absl::OkStatus();
}

absl::Status PriorityService::RankTracked(const v1::RankJobsRequest& request,
                                          priority::RankOptions& options,
                                          v1::RankJobsResponse* response) const {
  const auto state = options_.queues->State(View(request.cluster()));
  if (!state.ok()) return state.status();
  options.as_of = AsOf(request, (*state)->snapshot());
  const queue::QueueRanking answer = queue::Rank(
      *state, options, request.has_running_limit() ? request.running_limit() : SIZE_MAX);
  ToProto((*state)->snapshot(), answer.jobs, answer.ranking, request.view(), response);
  SetStaleness(response->mutable_snapshot());
  response->set_running_total(static_cast<uint32_t>(answer.running_total));
  ToProto(options.as_of, response->mutable_as_of());
  return absl::OkStatus();
}

absl::Status PriorityService::ExplainTracked(const v1::ExplainPriorityRequest& request,
                                             v1::ExplainPriorityResponse* response) const {
  const auto state = options_.queues->State(View(request.cluster()));
  if (!state.ok()) return state.status();
  const absl::Time as_of = AsOf(request, (*state)->snapshot());
  const explanation::RowPick job{View(request.job_id()), View(request.partition()),
                                 View(request.qos())};
  const auto explained = queue::Explain(*state, as_of, job);
  if (!explained.ok()) return ExplainError(explained.status());
  ToProto((*state)->snapshot(), explained->jobs.front(), explained->explanation, response);
  const auto site_factors = options_.queues->FindSiteFactorSource(View(request.cluster()));
  if (!site_factors.ok()) return site_factors.status();
  if (site_factors->has_value()) {
    SetSiteFactorSource(**site_factors, explained->site_factor_answered,
                        (*state)->snapshot().policy().time_zone, response);
  }
  SetStaleness(response->mutable_snapshot());
  ToProto(as_of, response->mutable_as_of());
  if (!request.has_compare_to()) return absl::OkStatus();
  const v1::CompareTo& other = request.compare_to();
  const auto compared = queue::Compare(
      *state, as_of, job, {View(other.job_id()), View(other.partition()), View(other.qos())});
  if (!compared.ok()) return ExplainError(compared.status());
  ToProto((*state)->snapshot(), compared->jobs, compared->comparison,
          response->mutable_comparison());
  return absl::OkStatus();
}

absl::Status PriorityService::Update(const Caller& caller, const v1::UpdateJobsRequest& request,
                                     v1::UpdateJobsResponse* response) const {
  if (absl::Status s = Validate(request, options_.limits); !s.ok()) return s;
  const auto snapshot = options_.registry->Find(View(request.cluster()));
  if (!snapshot.ok()) return snapshot.status();
  return rpc::UpdateJobs(*options_.queues, caller, request, Now(**snapshot), response);
}

absl::Status PriorityService::Explain(const v1::ExplainPriorityRequest& request,
                                      v1::ExplainPriorityResponse* response) const {
  if (absl::Status s = Validate(request, options_.limits); !s.ok()) return s;
  if (request.has_tracked()) return ExplainTracked(request, response);
  auto snapshot = options_.registry->Find(View(request.cluster()));
  if (!snapshot.ok()) return snapshot.status();
  const InlineQueue queue(request.jobs().jobs());
  const explanation::ExplainOptions options{.as_of = AsOf(request, **snapshot),
                                            .job_id = View(request.job_id()),
                                            .partition = View(request.partition()),
                                            .qos = View(request.qos())};
  auto explanation = priorityd::explanation::Explain(**snapshot, queue.jobs(), options);
  if (!explanation.ok()) return ExplainError(explanation.status());
  ToProto(**snapshot, queue.jobs()[explanation->row.job], *explanation, response);
  ToProto(options.as_of, response->mutable_as_of());
  SetStaleness(response->mutable_snapshot());
  if (!request.has_compare_to()) return absl::OkStatus();
  const v1::CompareTo& other = request.compare_to();
  const auto comparison = explanation::Compare(
      **snapshot, queue.jobs(),
      {.as_of = options.as_of,
       .job = {options.job_id, options.partition, options.qos},
       .compare_to = {View(other.job_id()), View(other.partition()), View(other.qos())}});
  if (!comparison.ok()) return ExplainError(comparison.status());
  ToProto(**snapshot, queue.jobs(), *comparison, response->mutable_comparison());
  return absl::OkStatus();
}

absl::Status PriorityService::Lint(const v1::LintPolicyRequest& request,
                                   v1::LintPolicyResponse* response) const {
  if (absl::Status s = Validate(request, options_.limits); !s.ok()) return s;
  auto snapshot = options_.registry->Find(View(request.cluster()));
  if (!snapshot.ok()) return snapshot.status();
  const InlineQueue queue(request.jobs().jobs());
  const absl::Time as_of = AsOf(request, **snapshot);
  ToProto(**snapshot, priorityd::explanation::LintPolicy(**snapshot, queue.jobs(), as_of),
          response);
  ToProto(as_of, response->mutable_as_of());
  SetStaleness(response->mutable_snapshot());
  return absl::OkStatus();
}

absl::Status PriorityService::Suppose(const v1::SimulateRequest& request,
                                      v1::SimulateResponse* response) const {
  if (absl::Status s = Validate(request, options_.limits); !s.ok()) return s;
  Present present;
  if (request.has_tracked()) {
    auto state = options_.queues->State(View(request.cluster()));
    if (!state.ok()) return state.status();
    present.queue = *std::move(state);
    present.snapshot = present.queue->scale().snapshot;
  } else {
    auto snapshot = options_.registry->Find(View(request.cluster()));
    if (!snapshot.ok()) return snapshot.status();
    present.snapshot = *std::move(snapshot);
  }
  present.real_now = options_.clocks.site();
  present.now = Now(*present.snapshot);
  absl::Status done = rpc::Simulate(*options_.database, present, request, response);
  if (done.ok()) SetStaleness(response->mutable_snapshot());
  return done;
}

grpc::ServerUnaryReactor* PriorityService::RankJobs(grpc::CallbackServerContext* context,
                                                    const v1::RankJobsRequest* request,
                                                    v1::RankJobsResponse* response) {
  return RunCall(*options_.boundary, Rpc::kRankJobs, *options_.computing, context, *request,
                 *response, [=, this](const Caller&) { return Rank(*request, response); });
}

grpc::ServerWriteReactor<grpc::ByteBuffer>* PriorityService::WatchRanking(
    grpc::CallbackServerContext* context, const grpc::ByteBuffer* request) {
  return watches_.Open(context, *request);
}

grpc::ServerUnaryReactor* PriorityService::ExplainPriority(
    grpc::CallbackServerContext* context, const v1::ExplainPriorityRequest* request,
    v1::ExplainPriorityResponse* response) {
  // A comparison may compute fair-share many times: it must not keep jobs from
  // being ranked.
  WorkerPool& pool = request->has_compare_to() ? reporting_ : *options_.computing;
  return RunCall(*options_.boundary, Rpc::kExplainPriority, pool, context, *request, *response,
                 [=, this](const Caller&) { return Explain(*request, response); });
}

grpc::ServerUnaryReactor* PriorityService::LintPolicy(grpc::CallbackServerContext* context,
                                                      const v1::LintPolicyRequest* request,
                                                      v1::LintPolicyResponse* response) {
  return RunCall(*options_.boundary, Rpc::kLintPolicy, *options_.computing, context, *request,
                 *response, [=, this](const Caller&) { return Lint(*request, response); });
}

grpc::ServerUnaryReactor* PriorityService::Simulate(grpc::CallbackServerContext* context,
                                                    const v1::SimulateRequest* request,
                                                    v1::SimulateResponse* response) {
  return RunCall(*options_.boundary, Rpc::kSimulate, reporting_, context, *request, *response,
                 [=, this](const Caller&) { return Suppose(*request, response); });
}

grpc::ServerUnaryReactor* PriorityService::RecordUsage(grpc::CallbackServerContext* context,
                                                       const v1::RecordUsageRequest* request,
                                                       v1::RecordUsageResponse* response) {
  auto* call = new Call(*options_.boundary, Rpc::kRecordUsage, context, *request, *response);
  const Done done = [=, this](absl::StatusOr<usage::RecordResults> results) {
    options_.storing->Schedule([=, results = std::move(results)] {
      if (results.ok()) ToProto(*results, response);
      call->End(results.status());
    });
  };
  call->Pass([=, this](const Caller&) {
    auto place = options_.recorder->Reserve(request->records_size());
    if (!place.ok()) return call->End(place.status());
    options_.storing->Schedule(
        [=, this, place = *std::move(place)] { Record(*request, place, done); });
  });
  return call;
}

void PriorityService::Record(const v1::RecordUsageRequest& request,
                             usage::GroupCommitter::Place place, Done done,
                             EarlierFailed earlier_failed) const {
  absl::Status valid = Validate(request, options_.limits);
  if (!valid.ok()) return done(valid);
  absl::StatusOr<std::string> cluster = options_.registry->Resolve(View(request.cluster()));
  if (!cluster.ok()) return done(cluster.status());
  options_.recorder->Record({.cluster = *std::move(cluster),
                             .submissions = ToSubmissions(request),
                             .done = std::move(done),
                             .earlier_failed = std::move(earlier_failed)},
                            std::move(place));
}

grpc::ServerBidiReactor<v1::StreamUsageRequest, v1::StreamUsageResponse>*
PriorityService::StreamUsage(grpc::CallbackServerContext* context) {
  return streams_.Open(context);
}

grpc::ServerUnaryReactor* PriorityService::UpdateJobs(grpc::CallbackServerContext* context,
                                                      const v1::UpdateJobsRequest* request,
                                                      v1::UpdateJobsResponse* response) {
  // One lane for all names of a cluster.
  const auto cluster = options_.registry->Resolve(View(request->cluster()));
  return RunCall(*options_.boundary, Rpc::kUpdateJobs, updating_,
                 cluster.value_or(request->cluster()), queue::TrackedQueues::kLockPatience, context,
                 *request, *response,
                 [=, this](const Caller& caller) { return Update(caller, *request, response); });
}

grpc::ServerUnaryReactor* PriorityService::ListJobs(grpc::CallbackServerContext* context,
                                                    const v1::ListJobsRequest* request,
                                                    v1::ListJobsResponse* response) {
  return RunCall(*options_.boundary, Rpc::kListJobs, *options_.computing, context, *request,
                 *response, [=, this](const Caller&) -> absl::Status {
                   if (absl::Status s = Validate(*request); !s.ok()) return s;
                   auto state = options_.queues->State(View(request->cluster()));
                   if (!state.ok()) return state.status();
                   absl::Status listed =
                       rpc::ListJobs(*std::move(state), job_lists_, *request, response);
                   if (listed.ok()) SetStaleness(response->mutable_snapshot());
                   return listed;
                 });
}

grpc::ServerUnaryReactor* PriorityService::ListShares(grpc::CallbackServerContext* context,
                                                      const v1::ListSharesRequest* request,
                                                      v1::ListSharesResponse* response) {
  return RunCall(*options_.boundary, Rpc::kListShares, *options_.computing, context, *request,
                 *response, [=, this](const Caller&) -> absl::Status {
                   if (absl::Status s = Validate(*request); !s.ok()) return s;
                   const absl::Status listed =
                       rpc::ListShares(*options_.registry, share_lists_, *request, response);
                   if (listed.ok()) SetStaleness(response->mutable_snapshot());
                   return listed;
                 });
}

grpc::ServerUnaryReactor* PriorityService::ListShareHistory(
    grpc::CallbackServerContext* context, const v1::ListShareHistoryRequest* request,
    v1::ListShareHistoryResponse* response) {
  return RunCall(*options_.boundary, Rpc::kListShareHistory, reporting_, context, *request,
                 *response, [=, this](const Caller&) -> absl::Status {
                   if (absl::Status s = Validate(*request); !s.ok()) return s;
                   return rpc::ListShareHistory(*options_.registry, *options_.database, *request,
                                                response);
                 });
}

grpc::ServerUnaryReactor* PriorityService::ReportUsage(grpc::CallbackServerContext* context,
                                                       const v1::ReportUsageRequest* request,
                                                       v1::ReportUsageResponse* response) {
  return RunCall(*options_.boundary, Rpc::kReportUsage, reporting_, context, *request, *response,
                 [=, this](const Caller&) -> absl::Status {
                   if (absl::Status s = Validate(*request); !s.ok()) return s;
                   return rpc::ReportUsage(*options_.registry, *options_.database, *request,
                                           response);
                 });
}

}  // namespace priorityd::rpc
