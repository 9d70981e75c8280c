// PriorityService: ranking, explaining, recording, listing.
#ifndef PRIORITYD_SERVER_API_PRIORITY_SERVICE_H_
#define PRIORITYD_SERVER_API_PRIORITY_SERVICE_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "engine/priority/snapshot/snapshot.h"
#include "priority/v1/budget.pb.h"
#include "priority/v1/caller.pb.h"
#include "priority/v1/explanation.pb.h"
#include "priority/v1/forecast.pb.h"
#include "priority/v1/grant.pb.h"
#include "priority/v1/lint.pb.h"
#include "priority/v1/plan.pb.h"
#include "priority/v1/queue.pb.h"
#include "priority/v1/ranking.pb.h"
#include "priority/v1/report.pb.h"
#include "priority/v1/share.pb.h"
#include "priority/v1/simulation.pb.h"
#include "priority/v1/usage.pb.h"
#include "server/api/budgets/running_usages.h"
#include "server/api/plans/known_nodes.h"
#include "server/api/queue/list_jobs.h"
#include "server/api/ranking/watch_ranking.h"
#include "server/api/shares/share_list.h"
#include "server/api/status/service_status.h"
#include "server/api/usage/usage_stream.h"
#include "server/configuration/alias_directory.h"
#include "server/forecasts/books.h"
#include "server/queue/replication/tracked_queues.h"
#include "server/quotas/parts.h"
#include "server/quotas/quota.h"
#include "server/recalculation/recalculation_loop.h"
#include "server/recalculation/snapshot_registry.h"
#include "server/site_factor/reasons.h"
#include "server/threads/clock.h"
#include "server/threads/periodic_thread.h"
#include "server/transport/boundary.h"
#include "server/transport/call.h"
#include "server/transport/caller.h"
#include "server/transport/pools.h"
#include "server/transport/request_limits.h"
#include "server/transport/unary_methods.h"
#include "server/usage/usage_recorder.h"
#include "storage/database/database.h"
#include "storage/database/report_database.h"

namespace priorityd::rpc {

// Thread-safe. Each RPC returns the errors of the functions that it calls. The constructor has one
// line per RPC.
class PriorityService : public UnaryMethods {
 public:
  struct Options {
    const recalculation::SnapshotRegistry* registry;
    usage::UsageRecorder* recorder;
    storage::Database* database;
    storage::ReportDatabase* reports;
    queue::TrackedQueues* queues;
    recalculation::RecalculationLoop* loop;
    const configuration::AliasDirectory* aliases;
    forecasts::Books* forecasts;
    site_factor::Reasons* site_factor_reasons;
    Pools* pools;
    Boundary* boundary;
    threads::Clocks clocks;
    RequestLimits limits;
    quotas::Parts parts;  // One caller's part of shared resources.
  };

  // The objects that the options point to must outlive the service.
  explicit PriorityService(Options options);

  // The numbers of open streams, of watchers, and of the views that they watch.
  OpenCalls open() const {
    return {streams_.size(), watches_.views().watchers(), watches_.views().size()};
  }

  // The nodes by the policy of the snapshot, as PlanStarts plans on them; null = it has none. May
  // wait for the database, a second at most.
  forecasts::Nodes NodesOf(const std::shared_ptr<const priority::Snapshot>& snapshot) const;

  // Call when the forecasts of a cluster have changed. Does not wait.
  void ForecastsChanged(const std::string& cluster) { watches_.ForecastsChanged(cluster); }

  // The callers' use of watches.
  std::vector<quotas::Usage> Usages() const { return watches_.views().Usages(); }

  // Ends streams and watches, which would otherwise delay the server's stop; see
  // UsageStreams::Drain and RankingWatches::Drain.
  void Drain() {
    streams_.Drain();
    watches_.Drain();
  }

 private:
  // Parts of the constructor.
  void AddRankings();
  void AddUsage();
  void AddQueue();
  void AddShares();
  std::string LaneOf(const std::string& cluster) const;
  // Queues the records and answers once they are stored.
  void TakeRecords(Call* call) const;

  using Done = std::function<void(absl::StatusOr<usage::RecordResults>)>;
  using EarlierFailed = std::shared_ptr<const std::atomic<bool>>;

  absl::Status Rank(const Caller& caller, const ::priority::v1::RankJobsRequest& request,
                    ::priority::v1::RankJobsResponse* response) const;
  absl::Status Explain(const Caller& caller, const ::priority::v1::ExplainPriorityRequest& request,
                       ::priority::v1::ExplainPriorityResponse* response) const;
  absl::Status Lint(const Caller& caller, const ::priority::v1::LintPolicyRequest& request,
                    ::priority::v1::LintPolicyResponse* response) const;
  absl::Status Suppose(const Caller& caller, const ::priority::v1::SimulateRequest& request,
                       ::priority::v1::SimulateResponse* response) const;
  absl::Status Update(const Caller& caller, const ::priority::v1::UpdateJobsRequest& request,
                      ::priority::v1::UpdateJobsResponse* response) const;
  absl::Status Top(const Caller& caller, const ::priority::v1::TopJobsRequest& request,
                   ::priority::v1::TopJobsResponse* response) const;
  absl::Status Plan(const Caller& caller, const ::priority::v1::PlanStartsRequest& request,
                    ::priority::v1::PlanStartsResponse* response) const;
  absl::Status Forecast(const Caller& caller, const ::priority::v1::ForecastStartsRequest& request,
                        ::priority::v1::ForecastStartsResponse* response) const;
  absl::Status ForecastScores(const Caller& caller,
                              const ::priority::v1::ScoreForecastsRequest& request,
                              ::priority::v1::ScoreForecastsResponse* response) const;
  // Null = nothing was learned of the cluster yet.
  std::shared_ptr<forecasts::Book> BookOf(const priority::Snapshot& snapshot) const;
  // For plans of the queue of the snapshot. `book` may be null.
  forecasts::PlanSource PlanSourceOf(const std::shared_ptr<const priority::Snapshot>& snapshot,
                                     std::shared_ptr<forecasts::Book> book) const;
  absl::Status Preempt(const Caller& caller,
                       const ::priority::v1::SuggestPreemptionRequest& request,
                       ::priority::v1::SuggestPreemptionResponse* response) const;
  absl::Status Jobs(const Caller& caller, const ::priority::v1::ListJobsRequest& request,
                    ::priority::v1::ListJobsResponse* response) const;
  absl::Status Shares(const Caller& caller, const ::priority::v1::ListSharesRequest& request,
                      ::priority::v1::ListSharesResponse* response) const;
  absl::Status QosUsage(const Caller& caller, const ::priority::v1::ListQosUsageRequest& request,
                        ::priority::v1::ListQosUsageResponse* response) const;
  absl::Status Budgets(const Caller& caller, const ::priority::v1::ListBudgetsRequest& request,
                       ::priority::v1::ListBudgetsResponse* response) const;
  absl::Status Grants(const Caller& caller, const ::priority::v1::ListGrantsRequest& request,
                      ::priority::v1::ListGrantsResponse* response) const;
  absl::Status GrantStatement(const Caller& caller,
                              const ::priority::v1::GetGrantStatementRequest& request,
                              ::priority::v1::GetGrantStatementResponse* response) const;
  absl::Status BudgetEvents(const Caller& caller,
                            const ::priority::v1::ListBudgetEventsRequest& request,
                            ::priority::v1::ListBudgetEventsResponse* response) const;
  absl::Status JobCost(const Caller& caller, const ::priority::v1::EstimateJobCostRequest& request,
                       ::priority::v1::EstimateJobCostResponse* response) const;
  absl::Status UsageRecords(const Caller& caller,
                            const ::priority::v1::ListUsageRecordsRequest& request,
                            ::priority::v1::ListUsageRecordsResponse* response) const;
  absl::Status Report(const Caller& caller, const ::priority::v1::ReportUsageRequest& request,
                      ::priority::v1::ReportUsageResponse* response) const;
  absl::Status ShareHistory(const Caller& caller,
                            const ::priority::v1::ListShareHistoryRequest& request,
                            ::priority::v1::ListShareHistoryResponse* response) const;
  absl::Status WhoCalls(const Caller& caller, const ::priority::v1::GetCallerRequest& request,
                        ::priority::v1::Caller* response) const;
  // The caller, or the user on whose behalf the call is made.
  absl::StatusOr<Caller> Speaks(const Caller& caller, const std::string& on_behalf_of,
                                const std::string& cluster) const;
  void Record(const ::priority::v1::RecordUsageRequest& request, usage::Recorder recorder,
              usage::GroupCommitter::Place place, Done done,
              EarlierFailed earlier_failed = nullptr) const;

  // Calls `answer` with the queue and the remaining usage of its running jobs.
  template <typename Request, typename Answer>
  absl::Status WithRunningUsage(const Request& request, const Answer& answer) const;

  // Calls `answer` with the ranked jobs and the complete description of the request.
  template <typename Request, typename Answer>
  absl::Status WithPlannedQueue(const Caller& caller, const Request& request,
                                const Answer& answer) const;

  // The description of the request; parts that it leaves out are the policy's.
  template <typename Request>
  absl::StatusOr<::priority::v1::ClusterDescription> DescriptionOf(
      const Request& request, const std::shared_ptr<const priority::Snapshot>& snapshot) const;

  // Marks an answer whose snapshot may not be the newest.
  void SetStaleness(::priority::v1::Snapshot* snapshot) const;

  // The present time; on a manual clock, the snapshot's.
  absl::Time Now(const priority::Snapshot& snapshot) const;
  // The request's as_of, or now.
  template <typename Request>
  absl::Time AsOf(const Request& request, const priority::Snapshot& snapshot) const;

  const Options options_;
  UsageStreams streams_;
  RankingWatches watches_;
  mutable ShareLists share_lists_;
  mutable RunningUsages running_usages_;
  mutable KnownNodes known_nodes_;
  mutable JobLists job_lists_;
  // Checks every second which callers may keep their streams open.
  threads::PeriodicThread proofs_;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_PRIORITY_SERVICE_H_
