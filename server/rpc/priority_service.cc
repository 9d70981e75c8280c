#include "server/rpc/priority_service.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "server/authorization/rights_table.h"
#include "server/rpc/call.h"
#include "server/rpc/convert_job.h"
#include "server/rpc/convert_time.h"
#include "server/rpc/convert_usage.h"
#include "server/rpc/explain_priority.h"
#include "server/rpc/get_caller.h"
#include "server/rpc/lint_policy.h"
#include "server/rpc/list_share_history.h"
#include "server/rpc/list_usage_records.h"
#include "server/rpc/planned_start.h"
#include "server/rpc/rank_jobs.h"
#include "server/rpc/report_usage.h"
#include "server/rpc/simulate.h"
#include "server/rpc/status.h"
#include "server/rpc/update_jobs.h"
#include "server/rpc/validate_simulation.h"
#include "server/rpc/view.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using authorization::Rpc;

constexpr absl::Duration kBetweenProofs = absl::Seconds(1);

usage::Recorder RecorderOf(const Caller& caller) {
  return {caller.principal.qualified(), caller.ToString()};
}

}  // namespace

PriorityService::PriorityService(Options options)
    : options_(std::move(options)),
      streams_(
          options_.storing, options_.boundary,
          [this](const v1::RecordUsageRequest& batch, const Caller& caller,
                 EarlierFailed earlier_failed, Done done) {
            auto room = options_.boundary->admission().Admit(batch);
            if (!room.ok()) return done(room.status());
            auto place = options_.recorder->Reserve(batch.records_size());
            if (!place.ok()) return done(place.status());
            Record(
                batch, RecorderOf(caller), *std::move(place),
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
                .set_staleness = [this](v1::Snapshot* snapshot) { SetStaleness(snapshot); },
                .parts = options_.parts}),
      known_nodes_(options_.database, options_.clocks.real),
      proofs_(options_.clocks.real) {
  SetMessageAllocatorFor_RankJobs(&rank_messages_);
  SetMessageAllocatorFor_RecordUsage(&record_messages_);
  proofs_.Start([this] {
    streams_.CheckProofs();
    watches_.CheckProofs();
    return options_.clocks.real() + kBetweenProofs;
  });
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

absl::Status PriorityService::Rank(const Caller& caller, const v1::RankJobsRequest& request,
                                   v1::RankJobsResponse* response) const {
  if (absl::Status s = Validate(request, options_.limits); !s.ok()) return s;
  if (request.has_tracked()) {
    const auto state = options_.queues->State(View(request.cluster()));
    if (!state.ok()) return state.status();
    RankTracked(caller, *state, AsOf(request, (*state)->snapshot()), request, response);
  } else {
    const auto snapshot = options_.registry->Find(View(request.cluster()));
    if (!snapshot.ok()) return snapshot.status();
    const absl::Time as_of = AsOf(request, **snapshot);
    absl::Status ranked = RankInline(caller, **snapshot, as_of, request, response);
    if (!ranked.ok()) return ranked;
  }
  SetStaleness(response->mutable_snapshot());
  return absl::OkStatus();
}

absl::Status PriorityService::Update(const Caller& caller, const v1::UpdateJobsRequest& request,
                                     v1::UpdateJobsResponse* response) const {
  if (absl::Status s = Validate(request, options_.limits); !s.ok()) return s;
  const auto snapshot = options_.registry->Find(View(request.cluster()));
  if (!snapshot.ok()) return snapshot.status();
  const auto speaks = Speaks(caller, request.on_behalf_of(), request.cluster());
  if (!speaks.ok()) return speaks.status();
  const auto source = JobSourceOf(caller, request.source());
  if (!source.ok()) return source.status();
  return rpc::UpdateJobs(*options_.queues, *options_.recorder, *speaks, *source, **snapshot,
                         request, Now(**snapshot), response);
}

absl::StatusOr<Caller> PriorityService::Speaks(const Caller& caller,
                                               const std::string& on_behalf_of,
                                               const std::string& cluster) const {
  if (on_behalf_of.empty()) return caller;
  return options_.boundary->OnBehalfOf(on_behalf_of, caller, cluster);
}

absl::Status PriorityService::Top(const Caller& caller, const v1::TopJobsRequest& request,
                                  v1::TopJobsResponse* response) const {
  if (absl::Status s = Validate(request, options_.limits); !s.ok()) return s;
  const auto snapshot = options_.registry->Find(View(request.cluster()));
  if (!snapshot.ok()) return snapshot.status();
  const auto speaks = Speaks(caller, request.on_behalf_of(), request.cluster());
  if (!speaks.ok()) return speaks.status();
  return rpc::TopJobs(*options_.queues, *speaks, BoundSource(caller), (*snapshot)->tree(), request,
                      Now(**snapshot), response);
}

absl::Status PriorityService::Explain(const Caller& caller,
                                      const v1::ExplainPriorityRequest& request,
                                      v1::ExplainPriorityResponse* response) const {
  if (absl::Status s = Validate(request, options_.limits); !s.ok()) return s;
  absl::Status explained;
  if (request.has_tracked()) {
    const auto state = options_.queues->State(View(request.cluster()));
    if (!state.ok()) return state.status();
    const absl::Time as_of = AsOf(request, (*state)->snapshot());
    explained = ExplainTracked(caller, *options_.queues, *state, as_of, request, response);
    if (!explained.ok()) return explained;
    if (const auto nodes = known_nodes_.Of((*state)->scale().snapshot)) {
      SetPlannedStart(caller, *state, as_of, *nodes, response);
    }
  } else {
    const auto snapshot = options_.registry->Find(View(request.cluster()));
    if (!snapshot.ok()) return snapshot.status();
    const absl::Time as_of = AsOf(request, **snapshot);
    explained = ExplainInline(caller, **snapshot, as_of, request, response);
  }
  if (explained.ok()) SetStaleness(response->mutable_snapshot());
  return explained;
}

absl::Status PriorityService::Lint(const Caller& caller, const v1::LintPolicyRequest& request,
                                   v1::LintPolicyResponse* response) const {
  if (absl::Status s = Validate(request, options_.limits); !s.ok()) return s;
  // The ranges of fair-share are between two users'.
  if (!caller.sees().sees_all_shares()) {
    return authorization::SeeAllRequired("LintPolicy, which tells the range of all users' shares",
                                         caller.roles, caller.ToString());
  }
  auto snapshot = options_.registry->Find(View(request.cluster()));
  if (!snapshot.ok()) return snapshot.status();
  absl::Status linted =
      rpc::LintPolicy(*options_.database, *snapshot, request, AsOf(request, **snapshot),
                      options_.clocks.site(), response);
  if (linted.ok()) SetStaleness(response->mutable_snapshot());
  return linted;
}

absl::Status PriorityService::Suppose(const Caller& caller, const v1::SimulateRequest& request,
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
  absl::Status done = rpc::Simulate(*options_.database, caller, present, request, response);
  if (done.ok()) SetStaleness(response->mutable_snapshot());
  return done;
}

grpc::ServerUnaryReactor* PriorityService::RankJobs(grpc::CallbackServerContext* context,
                                                    const v1::RankJobsRequest* request,
                                                    v1::RankJobsResponse* response) {
  return RunCall(*options_.boundary, Rpc::kRankJobs, *options_.computing, context, *request,
                 *response,
                 [=, this](const Caller& caller) { return Rank(caller, *request, response); });
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
  WorkerPool& pool = request->has_compare_to() ? planning_ : *options_.computing;
  return RunCall(*options_.boundary, Rpc::kExplainPriority, pool, context, *request, *response,
                 [=, this](const Caller& caller) { return Explain(caller, *request, response); });
}

grpc::ServerUnaryReactor* PriorityService::LintPolicy(grpc::CallbackServerContext* context,
                                                      const v1::LintPolicyRequest* request,
                                                      v1::LintPolicyResponse* response) {
  // Another policy is read into a snapshot of its own.
  WorkerPool& pool = request->has_policy_text() ? reporting_ : *options_.computing;
  return RunCall(*options_.boundary, Rpc::kLintPolicy, pool, context, *request, *response,
                 [=, this](const Caller& caller) { return Lint(caller, *request, response); });
}

grpc::ServerUnaryReactor* PriorityService::Simulate(grpc::CallbackServerContext* context,
                                                    const v1::SimulateRequest* request,
                                                    v1::SimulateResponse* response) {
  return RunCall(*options_.boundary, Rpc::kSimulate, reporting_, context, *request, *response,
                 [=, this](const Caller& caller) { return Suppose(caller, *request, response); });
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
  call->Pass([=, this](const Caller& caller) {
    if (absl::Status s = CheckSources(caller, *request); !s.ok()) return call->End(s);
    auto place = options_.recorder->Reserve(request->records_size());
    if (!place.ok()) return call->End(place.status());
    options_.storing->Schedule([=, this, recorder = RecorderOf(caller), place = *std::move(place)] {
      Record(*request, recorder, place, done);
    });
  });
  return call;
}

void PriorityService::Record(const v1::RecordUsageRequest& request, usage::Recorder recorder,
                             usage::GroupCommitter::Place place, Done done,
                             EarlierFailed earlier_failed) const {
  absl::Status valid = Validate(request, options_.limits);
  if (!valid.ok()) return done(valid);
  absl::StatusOr<std::string> cluster = options_.registry->Resolve(View(request.cluster()));
  if (!cluster.ok()) return done(cluster.status());
  options_.recorder->Record({.cluster = *std::move(cluster),
                             .submissions = ToSubmissions(request),
                             .done = std::move(done),
                             .earlier_failed = std::move(earlier_failed),
                             .recorder = std::move(recorder)},
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

grpc::ServerUnaryReactor* PriorityService::TopJobs(grpc::CallbackServerContext* context,
                                                   const v1::TopJobsRequest* request,
                                                   v1::TopJobsResponse* response) {
  const auto cluster = options_.registry->Resolve(View(request->cluster()));
  return RunCall(*options_.boundary, Rpc::kTopJobs, updating_, cluster.value_or(request->cluster()),
                 queue::TrackedQueues::kLockPatience, context, *request, *response,
                 [=, this](const Caller& caller) { return Top(caller, *request, response); });
}

grpc::ServerUnaryReactor* PriorityService::ListJobs(grpc::CallbackServerContext* context,
                                                    const v1::ListJobsRequest* request,
                                                    v1::ListJobsResponse* response) {
  return RunCall(*options_.boundary, Rpc::kListJobs, *options_.computing, context, *request,
                 *response, [=, this](const Caller& caller) -> absl::Status {
                   if (absl::Status s = Validate(*request); !s.ok()) return s;
                   auto state = options_.queues->State(View(request->cluster()));
                   if (!state.ok()) return state.status();
                   const absl::Time now = Now((*state)->snapshot());
                   absl::Status listed = rpc::ListJobs(*std::move(state), caller.sees(), now,
                                                       job_lists_, *request, response);
                   if (listed.ok()) SetStaleness(response->mutable_snapshot());
                   return listed;
                 });
}

grpc::ServerUnaryReactor* PriorityService::ListShareHistory(
    grpc::CallbackServerContext* context, const v1::ListShareHistoryRequest* request,
    v1::ListShareHistoryResponse* response) {
  return RunCall(*options_.boundary, Rpc::kListShareHistory, reporting_, context, *request,
                 *response, [=, this](const Caller& caller) -> absl::Status {
                   if (absl::Status s = Validate(*request); !s.ok()) return s;
                   return rpc::ListShareHistory(*options_.registry, *options_.database, caller,
                                                *request, response);
                 });
}

grpc::ServerUnaryReactor* PriorityService::GetCaller(grpc::CallbackServerContext* context,
                                                     const v1::GetCallerRequest* request,
                                                     v1::Caller* response) {
  return RunCall(*options_.boundary, Rpc::kGetCaller, *options_.computing, context, *request,
                 *response, [=, this](const Caller& caller) {
                   return rpc::GetCaller(*options_.boundary, *options_.registry, caller, *request,
                                         response);
                 });
}

grpc::ServerUnaryReactor* PriorityService::ReportUsage(grpc::CallbackServerContext* context,
                                                       const v1::ReportUsageRequest* request,
                                                       v1::ReportUsageResponse* response) {
  return RunCall(*options_.boundary, Rpc::kReportUsage, reporting_, context, *request, *response,
                 [=, this](const Caller& caller) -> absl::Status {
                   if (absl::Status s = Validate(*request); !s.ok()) return s;
                   return rpc::ReportUsage(*options_.registry, *options_.database, caller.sees(),
                                           *request, response);
                 });
}

grpc::ServerUnaryReactor* PriorityService::ListUsageRecords(
    grpc::CallbackServerContext* context, const v1::ListUsageRecordsRequest* request,
    v1::ListUsageRecordsResponse* response) {
  return RunCall(*options_.boundary, Rpc::kListUsageRecords, reporting_, context, *request,
                 *response, [=, this](const Caller& caller) {
                   return rpc::ListUsageRecords(*options_.registry, *options_.database,
                                                caller.sees(), *request, response);
                 });
}

}  // namespace priorityd::rpc
