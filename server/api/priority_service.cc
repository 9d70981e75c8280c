#include "server/api/priority_service.h"

#include <string>
#include <utility>

#include "server/api/caller/get_caller.h"
#include "server/api/caller/validate_caller.h"
#include "server/api/explanation/explain_priority.h"
#include "server/api/explanation/validate_explanation.h"
#include "server/api/forecasts/forecast_starts.h"
#include "server/api/forecasts/start_interval.h"
#include "server/api/forecasts/validate_forecast.h"
#include "server/api/plans/planned_start.h"
#include "server/api/policy/lint_policy.h"
#include "server/api/policy/validate_policy.h"
#include "server/api/queue/lease_jobs.h"
#include "server/api/queue/update_jobs.h"
#include "server/api/queue/validate_queue.h"
#include "server/api/ranking/rank_jobs.h"
#include "server/api/ranking/validate_ranking.h"
#include "server/api/shared/convert_job.h"
#include "server/api/shares/list_share_history.h"
#include "server/api/shares/validate_shares.h"
#include "server/api/simulation/simulate.h"
#include "server/api/simulation/validate_simulation.h"
#include "server/api/usage/convert_usage.h"
#include "server/api/usage/list_usage_records.h"
#include "server/api/usage/report_usage.h"
#include "server/api/usage/validate_usage.h"
#include "server/authorization/rights_table.h"
#include "server/messages/convert_time.h"
#include "server/messages/view.h"
#include "server/transport/call.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using authorization::Rpc;

constexpr absl::Duration kBetweenProofs = absl::Seconds(1);

}  // namespace

PriorityService::PriorityService(Options options)
    : UnaryMethods(*options.boundary, options.limits),
      options_(std::move(options)),
      streams_(
          &options_.pools->storing, options_.boundary,
          [this](const v1::RecordUsageRequest& batch, const Caller& caller,
                 EarlierFailed earlier_failed, Done done) {
            auto place = options_.recorder->Reserve(batch.records_size());
            if (!place.ok()) return done(place.status());
            Record(batch, RecorderOf(caller), *std::move(place), std::move(done),
                   std::move(earlier_failed));
          },
          options_.limits),
      watches_({.registry = options_.registry,
                .queues = options_.queues,
                .boundary = options_.boundary,
                .ranking = &options_.pools->background,
                .now = [this](const priority::Snapshot& snapshot) { return Now(snapshot); },
                .forecasts = options_.forecasts,
                .real_clock = options_.clocks.real,
                .set_staleness = [this](v1::Snapshot* snapshot) { SetStaleness(snapshot); },
                .parts = options_.parts}),
      known_nodes_(options_.database, &options_.pools->reading, options_.clocks.real),
      proofs_(options_.clocks.real) {
  AddRankings();
  AddUsage();
  AddQueue();
  AddShares();
  proofs_.Start([this] {
    streams_.CheckProofs();
    watches_.CheckProofs();
    return options_.clocks.real() + kBetweenProofs;
  });
}

void PriorityService::AddRankings() {
  Pools& pools = *options_.pools;
  const Schedule computing = Computing(pools);
  Unary(Rpc::kRankJobs, computing, this, &PriorityService::Rank);
  // A comparison may compute fair-share many times: it must not delay rankings.
  const auto explaining =
      EitherOf(v1::ExplainPriorityRequest::kCompareToFieldNumber, On(pools.planning), computing);
  Unary(Rpc::kExplainPriority, explaining, this, &PriorityService::Explain);
  // Another policy gets its own snapshot.
  const auto linting =
      EitherOf(v1::LintPolicyRequest::kPolicyTextFieldNumber, On(pools.reporting), computing);
  Unary(Rpc::kLintPolicy, linting, this, &PriorityService::Lint);
  Unary(Rpc::kSimulate, On(pools.reporting), this, &PriorityService::Suppose);
  Unary(Rpc::kPlanStarts, On(pools.planning), this, &PriorityService::Plan);
  Unary(Rpc::kForecastStarts, On(pools.planning), this, &PriorityService::Forecast);
  Unary(Rpc::kScoreForecasts, computing, this, &PriorityService::ForecastScores);
  Unary(Rpc::kSuggestPreemption, On(pools.planning), this, &PriorityService::Preempt);
  Add(Rpc::kWatchRanking,
      [this](grpc::CallbackServerContext* context) { return watches_.Open(context); });
}

void PriorityService::AddUsage() {
  // The recorder ends the call; it needs no other work.
  Unary<v1::RecordUsageRequest, v1::RecordUsageResponse>(
      Rpc::kRecordUsage, [this](Call* call) { TakeRecords(call); },
      [](const Caller&, const v1::RecordUsageRequest&, v1::RecordUsageResponse*) {
        return absl::OkStatus();
      });
  Add(Rpc::kStreamUsage,
      [this](grpc::CallbackServerContext* context) { return streams_.Open(context); });
  Unary(Rpc::kListUsageRecords, On(options_.pools->reporting), this,
        &PriorityService::UsageRecords);
  Unary(Rpc::kReportUsage, On(options_.pools->reporting), this, &PriorityService::Report);
}

void PriorityService::AddQueue() {
  const auto patience = queue::TrackedQueues::kLockPatience;
  const auto lane = [this](const std::string& cluster) { return LaneOf(cluster); };
  // A lease is a change of the configuration, which must not delay updates of the queue.
  Unary(Rpc::kUpdateJobs,
        EitherOf(v1::UpdateJobsRequest::kUntilFieldNumber, On(options_.pools->operating),
                 InLane(options_.pools->updating, patience, lane)),
        this, &PriorityService::Update);
  Unary(Rpc::kTopJobs, InLane(options_.pools->updating, patience, lane), this,
        &PriorityService::Top);
  Unary(Rpc::kListJobs,
        EitherOf(v1::ListJobsRequest::kWithForecastsFieldNumber, On(options_.pools->planning),
                 Computing(*options_.pools)),
        this, &PriorityService::Jobs);
}

void PriorityService::AddShares() {
  const Schedule computing = Computing(*options_.pools);
  Unary(Rpc::kListShares, computing, this, &PriorityService::Shares);
  Unary(Rpc::kListQosUsage, computing, this, &PriorityService::QosUsage);
  Unary(Rpc::kListBudgets, On(options_.pools->reporting), this, &PriorityService::Budgets);
  Unary(Rpc::kListGrants, On(options_.pools->reporting), this, &PriorityService::Grants);
  Unary(Rpc::kGetGrantStatement, On(options_.pools->reporting), this,
        &PriorityService::GrantStatement);
  Unary(Rpc::kListBudgetEvents, On(options_.pools->reporting), this,
        &PriorityService::BudgetEvents);
  Unary(Rpc::kEstimateJobCost, On(options_.pools->planning), this, &PriorityService::JobCost);
  Unary(Rpc::kListShareHistory, On(options_.pools->reporting), this,
        &PriorityService::ShareHistory);
  Unary(Rpc::kGetCaller, computing, this, &PriorityService::WhoCalls);
}

// All names of a cluster share one lane.
std::string PriorityService::LaneOf(const std::string& cluster) const {
  return options_.registry->Resolve(View(cluster)).value_or(cluster);
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
  bool runs_changed = false;
  const auto aliases = options_.aliases->Of((*snapshot)->cluster().name);
  if (!request.until().empty()) {
    absl::Status leased =
        LeaseJobs(*options_.queues, *options_.database, *speaks, *source, **snapshot, *aliases,
                  request, Now(**snapshot), options_.clocks.real(), response);
    if (!response->leases().empty()) {
      options_.loop->RecalculateSoon((*snapshot)->cluster().name);
    }
    return leased;
  }
  absl::Status updated =
      rpc::UpdateJobs(*options_.queues, *options_.recorder, *speaks, *source, **snapshot, *aliases,
                      request, Now(**snapshot), response, &runs_changed);
  if (updated.ok() && runs_changed) options_.loop->RecalculateSoon((*snapshot)->cluster().name);
  return updated;
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
    explained = ExplainTracked(caller, *options_.queues, *options_.site_factor_reasons, *state,
                               as_of, request, response);
    if (!explained.ok()) return explained;
    if (const auto nodes = known_nodes_.Of((*state)->scale().snapshot)) {
      SetPlannedStart(caller, *state, as_of, *nodes, response);
    }
    SetForecast(**state, BookOf((*state)->snapshot()).get(), as_of, response);
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
  // The ranges of fair-share lie between those of two users.
  if (!caller.sees().sees_all_shares()) {
    return authorization::SeeAllRequired("LintPolicy, which reveals the range of all users' shares",
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
  if (request.with_forecasts()) {
    if (absl::Status s = CheckForecasts(*options_.forecasts); !s.ok()) return s;
  }
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
  const auto book = request.with_forecasts() ? BookOf(*present.snapshot) : nullptr;
  present.book = book.get();
  present.plans = PlanSourceOf(present.snapshot, book);
  absl::Status done = rpc::Simulate(*options_.database, caller, present, request, response);
  if (done.ok()) SetStaleness(response->mutable_snapshot());
  return done;
}

void PriorityService::TakeRecords(Call* call) const {
  auto place = options_.recorder->Reserve(
      static_cast<int>(call->scanned().counts[v1::RecordUsageRequest::kRecordsFieldNumber]));
  if (!place.ok()) return call->End(place.status());
  const std::string lane = call->caller().holder().name;
  const Done done = [this, call, lane](absl::StatusOr<usage::RecordResults> results) {
    options_.pools->storing.Schedule(lane, [call, results = std::move(results)] {
      if (results.ok()) ToProto(*results, static_cast<v1::RecordUsageResponse*>(call->response()));
      call->End(results.status());
    });
  };
  // Moved: the place of recorded batches is released with their answer.
  options_.pools->storing.Schedule(lane, [this, call, done, place = *std::move(place)]() mutable {
    if (absl::Status s = call->Parse(); !s.ok()) return call->End(s);
    const auto& request = static_cast<const v1::RecordUsageRequest&>(call->request());
    if (absl::Status s = CheckSources(call->caller(), request); !s.ok()) return call->End(s);
    Record(request, RecorderOf(call->caller()), std::move(place), done);
  });
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

absl::Status PriorityService::Jobs(const Caller& caller, const v1::ListJobsRequest& request,
                                   v1::ListJobsResponse* response) const {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  if (request.with_forecasts()) {
    if (absl::Status s = CheckForecasts(*options_.forecasts); !s.ok()) return s;
  }
  auto state = options_.queues->State(View(request.cluster()));
  if (!state.ok()) return state.status();
  const absl::Time now = Now((*state)->snapshot());
  absl::Status listed =
      rpc::ListJobs(*std::move(state), caller.sees(), now, job_lists_, request, response);
  if (!listed.ok()) return listed;
  SetStaleness(response->mutable_snapshot());
  if (request.with_forecasts()) {
    SetIntervals(options_.forecasts->Find(response->snapshot().cluster()).get(), now, response);
  }
  return listed;
}

absl::Status PriorityService::ShareHistory(const Caller& caller,
                                           const v1::ListShareHistoryRequest& request,
                                           v1::ListShareHistoryResponse* response) const {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  return rpc::ListShareHistory(*options_.registry, *options_.reports, caller, request, response);
}

absl::Status PriorityService::WhoCalls(const Caller& caller, const v1::GetCallerRequest& request,
                                       v1::Caller* response) const {
  return rpc::GetCaller(*options_.boundary, *options_.registry, caller, request, response);
}

absl::Status PriorityService::Report(const Caller& caller, const v1::ReportUsageRequest& request,
                                     v1::ReportUsageResponse* response) const {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  return rpc::ReportUsage(*options_.registry, *options_.reports, caller.sees(), request, response);
}

absl::Status PriorityService::UsageRecords(const Caller& caller,
                                           const v1::ListUsageRecordsRequest& request,
                                           v1::ListUsageRecordsResponse* response) const {
  return rpc::ListUsageRecords(*options_.registry, *options_.reports, caller.sees(), request,
                               response);
}

}  // namespace priorityd::rpc
