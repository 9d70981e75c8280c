// A priorityd without a mind of its own, inside the test.
#ifndef PRIORITYD_TESTS_CLIENT_FAKE_PRIORITYD_H_
#define PRIORITYD_TESTS_CLIENT_FAKE_PRIORITYD_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "grpcpp/support/status.h"
#include "priority/v1/admin_service.pb.h"
#include "priority/v1/priority_service.pb.h"

namespace grpc {
class Server;
template <typename Message>
class ServerWriter;
}  // namespace grpc

namespace priorityd {

// Orders the changes that a test makes between two runs of a program with the answers to these
// runs: ThreadSanitizer does not see the order that another process imposes. The test has an object
// during each run, and the fake during each answer.
class AnswerOrder {
 public:
  AnswerOrder() { Pass(); }
  ~AnswerOrder() { Pass(); }
  AnswerOrder(const AnswerOrder&) = delete;
  AnswerOrder& operator=(const AnswerOrder&) = delete;

 private:
  static void Pass();
};

// Answers an RPC by the function given for it and keeps the requests; an RPC
// without a function is UNIMPLEMENTED. Thread-safe.
template <typename Request, typename Response>
class FakeMethod {
 public:
  void Answer(std::function<grpc::Status(const Request&, Response*)> answer) {
    absl::MutexLock lock(&mutex_);
    answer_ = std::move(answer);
  }

  grpc::Status Call(const Request& request, Response* response) {
    absl::MutexLock lock(&mutex_);
    const AnswerOrder order;
    requests_.push_back(request);
    if (!answer_) return grpc::Status(grpc::UNIMPLEMENTED, "the test gave no answer");
    return answer_(request, response);
  }

  std::vector<Request> requests() const {
    absl::MutexLock lock(&mutex_);
    return requests_;
  }

 private:
  mutable absl::Mutex mutex_;
  std::function<grpc::Status(const Request&, Response*)> answer_ ABSL_GUARDED_BY(mutex_);
  std::vector<Request> requests_ ABSL_GUARDED_BY(mutex_);
};

// Of a port of the loopback interface at which nobody listens, whatever other programs do.
std::string AddressOfNobody();

// Listens on a free port of the loopback interface, or at a given address, until it is destroyed.
class FakePriorityd {
 public:
  explicit FakePriorityd(const std::string& address = "127.0.0.1:0");
  ~FakePriorityd();

  const std::string& address() const { return address_; }

  FakeMethod<::priority::v1::RankJobsRequest, ::priority::v1::RankJobsResponse> rank_jobs;
  // Writes what it answers; the stream ends when the function returns.
  FakeMethod<::priority::v1::WatchRankingRequest,
             grpc::ServerWriter<::priority::v1::WatchRankingResponse>>
      watch_ranking;
  FakeMethod<::priority::v1::ExplainPriorityRequest, ::priority::v1::ExplainPriorityResponse>
      explain;
  FakeMethod<::priority::v1::LintPolicyRequest, ::priority::v1::LintPolicyResponse> lint_policy;
  FakeMethod<::priority::v1::PlanStartsRequest, ::priority::v1::PlanStartsResponse> plan_starts;
  FakeMethod<::priority::v1::ForecastStartsRequest, ::priority::v1::ForecastStartsResponse>
      forecast_starts;
  FakeMethod<::priority::v1::ScoreForecastsRequest, ::priority::v1::ScoreForecastsResponse>
      score_forecasts;
  FakeMethod<::priority::v1::SuggestPreemptionRequest, ::priority::v1::SuggestPreemptionResponse>
      suggest_preemption;
  FakeMethod<::priority::v1::SimulateRequest, ::priority::v1::SimulateResponse> simulate;
  FakeMethod<::priority::v1::RecordUsageRequest, ::priority::v1::RecordUsageResponse> record_usage;
  FakeMethod<::priority::v1::UpdateJobsRequest, ::priority::v1::UpdateJobsResponse> update_jobs;
  FakeMethod<::priority::v1::TopJobsRequest, ::priority::v1::TopJobsResponse> top_jobs;
  FakeMethod<::priority::v1::ListJobsRequest, ::priority::v1::ListJobsResponse> list_jobs;
  FakeMethod<::priority::v1::ListSharesRequest, ::priority::v1::ListSharesResponse> list_shares;
  FakeMethod<::priority::v1::ListQosUsageRequest, ::priority::v1::ListQosUsageResponse>
      list_qos_usage;
  FakeMethod<::priority::v1::ListBudgetsRequest, ::priority::v1::ListBudgetsResponse> list_budgets;
  FakeMethod<::priority::v1::ListBudgetEventsRequest, ::priority::v1::ListBudgetEventsResponse>
      list_budget_events;
  FakeMethod<::priority::v1::EstimateJobCostRequest, ::priority::v1::EstimateJobCostResponse>
      estimate_job_cost;
  FakeMethod<::priority::v1::ListGrantsRequest, ::priority::v1::ListGrantsResponse> list_grants;
  FakeMethod<::priority::v1::GetGrantStatementRequest, ::priority::v1::GetGrantStatementResponse>
      get_grant_statement;
  FakeMethod<::priority::v1::ReportUsageRequest, ::priority::v1::ReportUsageResponse> report_usage;
  FakeMethod<::priority::v1::ListUsageRecordsRequest, ::priority::v1::ListUsageRecordsResponse>
      list_usage_records;
  FakeMethod<::priority::v1::ListShareHistoryRequest, ::priority::v1::ListShareHistoryResponse>
      list_share_history;
  FakeMethod<::priority::v1::GetCallerRequest, ::priority::v1::Caller> get_caller;
  FakeMethod<::priority::v1::ImportRequest, ::priority::v1::ImportResponse> import;
  FakeMethod<::priority::v1::ApplyPolicyRequest, ::priority::v1::ApplyPolicyResponse> apply_policy;
  FakeMethod<::priority::v1::ResetUsageRequest, ::priority::v1::ResetUsageResponse> reset_usage;
  // Its answer is the last message; one with a fraction of 1/2 goes before.
  FakeMethod<::priority::v1::RebuildUsageRequest, ::priority::v1::RebuildUsageResponse>
      rebuild_usage;
  FakeMethod<::priority::v1::VoidUsageRequest, ::priority::v1::VoidUsageResponse> void_usage;
  FakeMethod<::priority::v1::RestoreUsageRequest, ::priority::v1::VoidUsageResponse> restore_usage;
  FakeMethod<::priority::v1::GetPolicyRequest, ::priority::v1::Policy> get_policy;
  FakeMethod<::priority::v1::UpdateClusterRequest, ::priority::v1::Cluster> update_cluster;
  FakeMethod<::priority::v1::RecalculateRequest, ::priority::v1::Snapshot> recalculate;
  FakeMethod<::priority::v1::GetStatusRequest, ::priority::v1::GetStatusResponse> get_status;
  FakeMethod<::priority::v1::ListPolicyVersionsRequest, ::priority::v1::ListPolicyVersionsResponse>
      list_policy_versions;
  FakeMethod<::priority::v1::RollbackPolicyRequest, ::priority::v1::ApplyPolicyResponse>
      rollback_policy;
  FakeMethod<::priority::v1::ListAuditEventsRequest, ::priority::v1::ListAuditEventsResponse>
      list_audit_events;
  FakeMethod<::priority::v1::ListClustersRequest, ::priority::v1::ListClustersResponse>
      list_clusters;
  FakeMethod<::priority::v1::DeleteClusterRequest, ::priority::v1::DeleteClusterResponse>
      delete_cluster;
  FakeMethod<::priority::v1::MoveClusterRequest, ::priority::v1::ClusterMove> move_cluster;
  FakeMethod<::priority::v1::RestoreClusterRequest, ::priority::v1::Cluster> restore_cluster;
  FakeMethod<::priority::v1::ExportRequest, ::priority::v1::ExportResponse> export_site;
  FakeMethod<::priority::v1::UndoImportRequest, ::priority::v1::UndoImportResponse> undo_import;
  FakeMethod<::priority::v1::ListUsageSourcesRequest, ::priority::v1::ListUsageSourcesResponse>
      list_usage_sources;
  FakeMethod<::priority::v1::CreateBackupRequest, ::priority::v1::Backup> create_backup;
  FakeMethod<::priority::v1::VerifyBackupRequest, ::priority::v1::Backup> verify_backup;
  FakeMethod<::priority::v1::ListBackupsRequest, ::priority::v1::ListBackupsResponse> list_backups;
  FakeMethod<::priority::v1::ListUsersRequest, ::priority::v1::ListUsersResponse> list_users;
  FakeMethod<::priority::v1::ListAssociationsRequest, ::priority::v1::ListAssociationsResponse>
      list_associations;
  FakeMethod<::priority::v1::ListQosRequest, ::priority::v1::ListQosResponse> list_qos;
  FakeMethod<::priority::v1::ListPartitionsRequest, ::priority::v1::ListPartitionsResponse>
      list_partitions;
  FakeMethod<::priority::v1::UpdatePartitionsRequest, ::priority::v1::ChangeResponse>
      update_partitions;
  FakeMethod<::priority::v1::DeletePartitionsRequest, ::priority::v1::ChangeResponse>
      delete_partitions;
  FakeMethod<::priority::v1::ListReservationsRequest, ::priority::v1::ListReservationsResponse>
      list_reservations;
  FakeMethod<::priority::v1::UpdateReservationsRequest, ::priority::v1::ChangeResponse>
      update_reservations;
  FakeMethod<::priority::v1::DeleteReservationsRequest, ::priority::v1::ChangeResponse>
      delete_reservations;
  FakeMethod<::priority::v1::ListAliasesRequest, ::priority::v1::ListAliasesResponse> list_aliases;
  FakeMethod<::priority::v1::UpdateAliasesRequest, ::priority::v1::ChangeResponse> update_aliases;
  FakeMethod<::priority::v1::ListUserMergesRequest, ::priority::v1::ListUserMergesResponse>
      list_user_merges;
  FakeMethod<::priority::v1::MergeUsersRequest, ::priority::v1::ChangeResponse> merge_users;
  FakeMethod<::priority::v1::UnmergeUsersRequest, ::priority::v1::ChangeResponse> unmerge_users;
  FakeMethod<::priority::v1::UpdateGrantsRequest, ::priority::v1::ChangeResponse> update_grants;
  FakeMethod<::priority::v1::RevokeGrantsRequest, ::priority::v1::ChangeResponse> revoke_grants;
  FakeMethod<::priority::v1::TransferGrantRequest, ::priority::v1::ChangeResponse> transfer_grant;
  FakeMethod<::priority::v1::ListDomainsRequest, ::priority::v1::ListDomainsResponse> list_domains;
  FakeMethod<::priority::v1::UpdateDomainRequest, ::priority::v1::ChangeResponse> update_domain;
  FakeMethod<::priority::v1::ListLeasesRequest, ::priority::v1::ListLeasesResponse> list_leases;
  FakeMethod<::priority::v1::EndLeasesRequest, ::priority::v1::ChangeResponse> end_leases;

 private:
  class PriorityServiceAdapter;
  class AdminServiceAdapter;

  std::unique_ptr<PriorityServiceAdapter> priority_service_;
  std::unique_ptr<AdminServiceAdapter> admin_service_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_CLIENT_FAKE_PRIORITYD_H_
