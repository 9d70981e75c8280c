// PriorityService: ranking, explaining, recording, listing.
#ifndef PRIORITYD_SERVER_RPC_PRIORITY_SERVICE_H_
#define PRIORITYD_SERVER_RPC_PRIORITY_SERVICE_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "server/priority/snapshot.h"
#include "server/queue/replication/tracked_queues.h"
#include "server/quotas/parts.h"
#include "server/quotas/quota.h"
#include "server/recalculation/snapshot_registry.h"
#include "server/rpc/arena_messages.h"
#include "server/rpc/boundary.h"
#include "server/rpc/caller.h"
#include "server/rpc/known_nodes.h"
#include "server/rpc/lane_pool.h"
#include "server/rpc/list_jobs.h"
#include "server/rpc/running_usages.h"
#include "server/rpc/share_list.h"
#include "server/rpc/usage_stream.h"
#include "server/rpc/validate.h"
#include "server/rpc/watch_ranking.h"
#include "server/rpc/worker_pool.h"
#include "server/threads/clock.h"
#include "server/threads/periodic_thread.h"
#include "server/usage/usage_recorder.h"
#include "storage/database.h"

namespace priorityd::rpc {

// Thread-safe. The errors of each RPC are those of what it calls.
class PriorityService : public ::priority::v1::PriorityService::WithRawCallbackMethod_WatchRanking<
                            ::priority::v1::PriorityService::CallbackService> {
 public:
  struct Options {
    const recalculation::SnapshotRegistry* registry;
    usage::UsageRecorder* recorder;
    storage::Database* database;
    queue::TrackedQueues* queues;
    // Ranks and lists; never waits for the database.
    WorkerPool* computing;
    // Prices usage, and makes its answers; nothing that waits for long.
    WorkerPool* storing;
    Boundary* boundary;
    threads::Clocks clocks;
    RequestLimits limits;
    quotas::Parts parts;  // What one caller may hold of what all share.
  };

  // What the options point to must outlive the service.
  explicit PriorityService(Options options);

  grpc::ServerUnaryReactor* RankJobs(grpc::CallbackServerContext* context,
                                     const ::priority::v1::RankJobsRequest* request,
                                     ::priority::v1::RankJobsResponse* response) override;
  grpc::ServerWriteReactor<grpc::ByteBuffer>* WatchRanking(
      grpc::CallbackServerContext* context, const grpc::ByteBuffer* request) override;
  grpc::ServerUnaryReactor* ExplainPriority(
      grpc::CallbackServerContext* context, const ::priority::v1::ExplainPriorityRequest* request,
      ::priority::v1::ExplainPriorityResponse* response) override;
  grpc::ServerUnaryReactor* LintPolicy(grpc::CallbackServerContext* context,
                                       const ::priority::v1::LintPolicyRequest* request,
                                       ::priority::v1::LintPolicyResponse* response) override;
  grpc::ServerUnaryReactor* Simulate(grpc::CallbackServerContext* context,
                                     const ::priority::v1::SimulateRequest* request,
                                     ::priority::v1::SimulateResponse* response) override;
  grpc::ServerUnaryReactor* PlanStarts(grpc::CallbackServerContext* context,
                                       const ::priority::v1::PlanStartsRequest* request,
                                       ::priority::v1::PlanStartsResponse* response) override;
  grpc::ServerUnaryReactor* SuggestPreemption(
      grpc::CallbackServerContext* context, const ::priority::v1::SuggestPreemptionRequest* request,
      ::priority::v1::SuggestPreemptionResponse* response) override;
  grpc::ServerUnaryReactor* RecordUsage(grpc::CallbackServerContext* context,
                                        const ::priority::v1::RecordUsageRequest* request,
                                        ::priority::v1::RecordUsageResponse* response) override;
  grpc::ServerBidiReactor<::priority::v1::StreamUsageRequest, ::priority::v1::StreamUsageResponse>*
  StreamUsage(grpc::CallbackServerContext* context) override;
  grpc::ServerUnaryReactor* UpdateJobs(grpc::CallbackServerContext* context,
                                       const ::priority::v1::UpdateJobsRequest* request,
                                       ::priority::v1::UpdateJobsResponse* response) override;
  grpc::ServerUnaryReactor* TopJobs(grpc::CallbackServerContext* context,
                                    const ::priority::v1::TopJobsRequest* request,
                                    ::priority::v1::TopJobsResponse* response) override;
  grpc::ServerUnaryReactor* ListJobs(grpc::CallbackServerContext* context,
                                     const ::priority::v1::ListJobsRequest* request,
                                     ::priority::v1::ListJobsResponse* response) override;
  grpc::ServerUnaryReactor* ListShares(grpc::CallbackServerContext* context,
                                       const ::priority::v1::ListSharesRequest* request,
                                       ::priority::v1::ListSharesResponse* response) override;
  grpc::ServerUnaryReactor* ListQosUsage(grpc::CallbackServerContext* context,
                                         const ::priority::v1::ListQosUsageRequest* request,
                                         ::priority::v1::ListQosUsageResponse* response) override;
  grpc::ServerUnaryReactor* ListBudgets(grpc::CallbackServerContext* context,
                                        const ::priority::v1::ListBudgetsRequest* request,
                                        ::priority::v1::ListBudgetsResponse* response) override;
  grpc::ServerUnaryReactor* ListBudgetEvents(
      grpc::CallbackServerContext* context, const ::priority::v1::ListBudgetEventsRequest* request,
      ::priority::v1::ListBudgetEventsResponse* response) override;
  grpc::ServerUnaryReactor* EstimateJobCost(
      grpc::CallbackServerContext* context, const ::priority::v1::EstimateJobCostRequest* request,
      ::priority::v1::EstimateJobCostResponse* response) override;
  grpc::ServerUnaryReactor* ListUsageRecords(
      grpc::CallbackServerContext* context, const ::priority::v1::ListUsageRecordsRequest* request,
      ::priority::v1::ListUsageRecordsResponse* response) override;

  grpc::ServerUnaryReactor* ReportUsage(grpc::CallbackServerContext* context,
                                        const ::priority::v1::ReportUsageRequest* request,
                                        ::priority::v1::ReportUsageResponse* response) override;
  grpc::ServerUnaryReactor* ListShareHistory(
      grpc::CallbackServerContext* context, const ::priority::v1::ListShareHistoryRequest* request,
      ::priority::v1::ListShareHistoryResponse* response) override;
  grpc::ServerUnaryReactor* GetCaller(grpc::CallbackServerContext* context,
                                      const ::priority::v1::GetCallerRequest* request,
                                      ::priority::v1::Caller* response) override;

  // What is open for longer than a call takes.
  struct Open {
    size_t usage_streams;
    size_t watchers;
    size_t watched_views;  // Different ones.
  };
  Open open() const {
    return {streams_.size(), watches_.views().watchers(), watches_.views().size()};
  }

  // What its own threads are doing.
  PoolActivity planning() const { return planning_.activity(); }
  PoolActivity reporting() const { return reporting_.activity(); }
  PoolActivity updating() const { return updating_.activity(); }

  // What callers hold: of watches, and of these pools, whose calls are named by the pool.
  std::vector<quotas::Usage> Usages() const {
    std::vector<quotas::Usage> usages = watches_.views().Usages();
    usages.push_back(CallsOf("planning", planning_.usage()));
    usages.push_back(CallsOf("reporting", reporting_.usage()));
    usages.push_back(CallsOf("updating", updating_.usage()));
    return usages;
  }

  // Ends the streams and watches, which would otherwise hold up the server's stop; see
  // UsageStreams::Drain and RankingWatches::Drain.
  void Drain() {
    streams_.Drain();
    watches_.Drain();
  }

 private:
  static constexpr int kPlanThreads = 2;
  static constexpr int kReportThreads = 2;
  static constexpr int kUpdateThreads = 4;

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
  // The caller, or whom she speaks for.
  absl::StatusOr<Caller> Speaks(const Caller& caller, const std::string& on_behalf_of,
                                const std::string& cluster) const;
  void Record(const ::priority::v1::RecordUsageRequest& request, usage::Recorder recorder,
              usage::GroupCommitter::Place place, Done done,
              EarlierFailed earlier_failed = nullptr) const;

  // Answers `answer` of the queue and what its running jobs may still use.
  template <typename Request, typename Answer>
  absl::Status WithRunningUsage(const Request& request, const Answer& answer) const;

  // Answers `answer` of the request's jobs, ranked.
  template <typename Request, typename Answer>
  absl::Status WithPlannedQueue(const Caller& caller, const Request& request,
                                const Answer& answer) const;

  // Says in an answer that its snapshot may not be the newest.
  void SetStaleness(::priority::v1::Snapshot* snapshot) const;

  // On a manual clock that of the snapshot.
  absl::Time Now(const priority::Snapshot& snapshot) const;
  // The request's as_of, else now.
  template <typename Request>
  absl::Time AsOf(const Request& request, const priority::Snapshot& snapshot) const;

  const Options options_;
  UsageStreams streams_;
  RankingWatches watches_;
  ShareLists share_lists_;
  mutable RunningUsages running_usages_;
  mutable KnownNodes known_nodes_;
  JobLists job_lists_;
  ArenaMessages<::priority::v1::RankJobsRequest, ::priority::v1::RankJobsResponse> rank_messages_;
  ArenaMessages<::priority::v1::RecordUsageRequest, ::priority::v1::RecordUsageResponse>
      record_messages_;
  // A few of each: recording and ranking must not wait for them. A comparison may compute
  // fair-share many times, a plan look a week ahead; neither needs the database.
  WorkerPool planning_{kPlanThreads, kMaxQueuedCalls, options_.parts};
  // A report may read a year of the ledger, a simulation reads all usage rows.
  WorkerPool reporting_{kReportThreads, kMaxQueuedCalls, options_.parts};
  // Updates of one queue wait for each other, and nothing else waits for them.
  LanePool updating_{kUpdateThreads, kMaxQueuedCalls, options_.parts};
  // Looks each second who of those with open streams may go on.
  threads::PeriodicThread proofs_;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_PRIORITY_SERVICE_H_
