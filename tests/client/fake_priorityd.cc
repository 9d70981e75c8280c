#include "tests/client/fake_priorityd.h"

#include "absl/strings/str_cat.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server.h"
#include "grpcpp/server_builder.h"
#include "priority/v1/admin_service.grpc.pb.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "tests/free_port.h"

namespace priorityd {

namespace v1 = ::priority::v1;

class FakePriorityd::PriorityServiceAdapter : public v1::PriorityService::Service {
 public:
  explicit PriorityServiceAdapter(FakePriorityd* fake) : fake_(fake) {}

  grpc::Status RankJobs(grpc::ServerContext*, const v1::RankJobsRequest* request,
                        v1::RankJobsResponse* response) override {
    return fake_->rank_jobs.Call(*request, response);
  }
  grpc::Status WatchRanking(grpc::ServerContext*, const v1::WatchRankingRequest* request,
                            grpc::ServerWriter<v1::WatchRankingResponse>* writer) override {
    return fake_->watch_ranking.Call(*request, writer);
  }
  grpc::Status ExplainPriority(grpc::ServerContext*, const v1::ExplainPriorityRequest* request,
                               v1::ExplainPriorityResponse* response) override {
    return fake_->explain.Call(*request, response);
  }
  grpc::Status LintPolicy(grpc::ServerContext*, const v1::LintPolicyRequest* request,
                          v1::LintPolicyResponse* response) override {
    return fake_->lint_policy.Call(*request, response);
  }
  grpc::Status PlanStarts(grpc::ServerContext*, const v1::PlanStartsRequest* request,
                          v1::PlanStartsResponse* response) override {
    return fake_->plan_starts.Call(*request, response);
  }
  grpc::Status ForecastStarts(grpc::ServerContext*, const v1::ForecastStartsRequest* request,
                              v1::ForecastStartsResponse* response) override {
    return fake_->forecast_starts.Call(*request, response);
  }
  grpc::Status ScoreForecasts(grpc::ServerContext*, const v1::ScoreForecastsRequest* request,
                              v1::ScoreForecastsResponse* response) override {
    return fake_->score_forecasts.Call(*request, response);
  }
  grpc::Status SuggestPreemption(grpc::ServerContext*, const v1::SuggestPreemptionRequest* request,
                                 v1::SuggestPreemptionResponse* response) override {
    return fake_->suggest_preemption.Call(*request, response);
  }
  grpc::Status ListQosUsage(grpc::ServerContext*, const v1::ListQosUsageRequest* request,
                            v1::ListQosUsageResponse* response) override {
    return fake_->list_qos_usage.Call(*request, response);
  }
  grpc::Status ListBudgets(grpc::ServerContext*, const v1::ListBudgetsRequest* request,
                           v1::ListBudgetsResponse* response) override {
    return fake_->list_budgets.Call(*request, response);
  }
  grpc::Status ListBudgetEvents(grpc::ServerContext*, const v1::ListBudgetEventsRequest* request,
                                v1::ListBudgetEventsResponse* response) override {
    return fake_->list_budget_events.Call(*request, response);
  }
  grpc::Status EstimateJobCost(grpc::ServerContext*, const v1::EstimateJobCostRequest* request,
                               v1::EstimateJobCostResponse* response) override {
    return fake_->estimate_job_cost.Call(*request, response);
  }
  grpc::Status ListGrants(grpc::ServerContext*, const v1::ListGrantsRequest* request,
                          v1::ListGrantsResponse* response) override {
    return fake_->list_grants.Call(*request, response);
  }
  grpc::Status GetGrantStatement(grpc::ServerContext*, const v1::GetGrantStatementRequest* request,
                                 v1::GetGrantStatementResponse* response) override {
    return fake_->get_grant_statement.Call(*request, response);
  }
  grpc::Status Simulate(grpc::ServerContext*, const v1::SimulateRequest* request,
                        v1::SimulateResponse* response) override {
    return fake_->simulate.Call(*request, response);
  }
  grpc::Status RecordUsage(grpc::ServerContext*, const v1::RecordUsageRequest* request,
                           v1::RecordUsageResponse* response) override {
    return fake_->record_usage.Call(*request, response);
  }
  // Every batch is a call of record_usage; an error ends the stream.
  grpc::Status StreamUsage(
      grpc::ServerContext*,
      grpc::ServerReaderWriter<v1::StreamUsageResponse, v1::StreamUsageRequest>* stream) override {
    v1::StreamUsageRequest request;
    while (stream->Read(&request)) {
      v1::StreamUsageResponse response;
      response.set_batch_id(request.batch_id());
      const grpc::Status status =
          fake_->record_usage.Call(request.batch(), response.mutable_results());
      if (!status.ok()) return status;
      stream->Write(response);
    }
    return grpc::Status::OK;
  }
  grpc::Status UpdateJobs(grpc::ServerContext*, const v1::UpdateJobsRequest* request,
                          v1::UpdateJobsResponse* response) override {
    return fake_->update_jobs.Call(*request, response);
  }
  grpc::Status ReportUsage(grpc::ServerContext*, const v1::ReportUsageRequest* request,
                           v1::ReportUsageResponse* response) override {
    return fake_->report_usage.Call(*request, response);
  }
  grpc::Status ListUsageRecords(grpc::ServerContext*, const v1::ListUsageRecordsRequest* request,
                                v1::ListUsageRecordsResponse* response) override {
    return fake_->list_usage_records.Call(*request, response);
  }
  grpc::Status TopJobs(grpc::ServerContext*, const v1::TopJobsRequest* request,
                       v1::TopJobsResponse* response) override {
    return fake_->top_jobs.Call(*request, response);
  }
  grpc::Status ListJobs(grpc::ServerContext*, const v1::ListJobsRequest* request,
                        v1::ListJobsResponse* response) override {
    return fake_->list_jobs.Call(*request, response);
  }
  grpc::Status ListShares(grpc::ServerContext*, const v1::ListSharesRequest* request,
                          v1::ListSharesResponse* response) override {
    return fake_->list_shares.Call(*request, response);
  }
  grpc::Status ListShareHistory(grpc::ServerContext*, const v1::ListShareHistoryRequest* request,
                                v1::ListShareHistoryResponse* response) override {
    return fake_->list_share_history.Call(*request, response);
  }
  grpc::Status GetCaller(grpc::ServerContext*, const v1::GetCallerRequest* request,
                         v1::Caller* response) override {
    return fake_->get_caller.Call(*request, response);
  }

 private:
  FakePriorityd* const fake_;
};

class FakePriorityd::AdminServiceAdapter : public v1::AdminService::Service {
 public:
  explicit AdminServiceAdapter(FakePriorityd* fake) : fake_(fake) {}

  grpc::Status Import(grpc::ServerContext*, const v1::ImportRequest* request,
                      v1::ImportResponse* response) override {
    return fake_->import.Call(*request, response);
  }
  grpc::Status ApplyPolicy(grpc::ServerContext*, const v1::ApplyPolicyRequest* request,
                           v1::ApplyPolicyResponse* response) override {
    return fake_->apply_policy.Call(*request, response);
  }
  grpc::Status ResetUsage(grpc::ServerContext*, const v1::ResetUsageRequest* request,
                          v1::ResetUsageResponse* response) override {
    return fake_->reset_usage.Call(*request, response);
  }
  grpc::Status VoidUsage(grpc::ServerContext*, const v1::VoidUsageRequest* request,
                         v1::VoidUsageResponse* response) override {
    return fake_->void_usage.Call(*request, response);
  }
  grpc::Status RestoreUsage(grpc::ServerContext*, const v1::RestoreUsageRequest* request,
                            v1::VoidUsageResponse* response) override {
    return fake_->restore_usage.Call(*request, response);
  }
  grpc::Status MoveCluster(grpc::ServerContext*, const v1::MoveClusterRequest* request,
                           v1::ClusterMove* response) override {
    return fake_->move_cluster.Call(*request, response);
  }
  grpc::Status RestoreCluster(grpc::ServerContext*, const v1::RestoreClusterRequest* request,
                              v1::Cluster* response) override {
    return fake_->restore_cluster.Call(*request, response);
  }
  grpc::Status Export(grpc::ServerContext*, const v1::ExportRequest* request,
                      v1::ExportResponse* response) override {
    return fake_->export_site.Call(*request, response);
  }
  grpc::Status UndoImport(grpc::ServerContext*, const v1::UndoImportRequest* request,
                          v1::UndoImportResponse* response) override {
    return fake_->undo_import.Call(*request, response);
  }
  grpc::Status ListUsageSources(grpc::ServerContext*, const v1::ListUsageSourcesRequest* request,
                                v1::ListUsageSourcesResponse* response) override {
    return fake_->list_usage_sources.Call(*request, response);
  }
  grpc::Status CreateBackup(grpc::ServerContext*, const v1::CreateBackupRequest* request,
                            v1::Backup* response) override {
    return fake_->create_backup.Call(*request, response);
  }
  grpc::Status VerifyBackup(grpc::ServerContext*, const v1::VerifyBackupRequest* request,
                            v1::Backup* response) override {
    return fake_->verify_backup.Call(*request, response);
  }
  grpc::Status ListBackups(grpc::ServerContext*, const v1::ListBackupsRequest* request,
                           v1::ListBackupsResponse* response) override {
    return fake_->list_backups.Call(*request, response);
  }
  grpc::Status RebuildUsage(grpc::ServerContext*, const v1::RebuildUsageRequest* request,
                            grpc::ServerWriter<v1::RebuildUsageResponse>* writer) override {
    v1::RebuildUsageResponse progress, last;
    progress.set_fraction(0.5);
    writer->Write(progress);
    const grpc::Status status = fake_->rebuild_usage.Call(*request, &last);
    if (status.ok()) writer->Write(last);
    return status;
  }
  grpc::Status GetPolicy(grpc::ServerContext*, const v1::GetPolicyRequest* request,
                         v1::Policy* response) override {
    return fake_->get_policy.Call(*request, response);
  }
  grpc::Status UpdateCluster(grpc::ServerContext*, const v1::UpdateClusterRequest* request,
                             v1::Cluster* response) override {
    return fake_->update_cluster.Call(*request, response);
  }
  grpc::Status Recalculate(grpc::ServerContext*, const v1::RecalculateRequest* request,
                           v1::Snapshot* response) override {
    return fake_->recalculate.Call(*request, response);
  }
  grpc::Status GetStatus(grpc::ServerContext*, const v1::GetStatusRequest* request,
                         v1::GetStatusResponse* response) override {
    return fake_->get_status.Call(*request, response);
  }
  grpc::Status ListPolicyVersions(grpc::ServerContext*,
                                  const v1::ListPolicyVersionsRequest* request,
                                  v1::ListPolicyVersionsResponse* response) override {
    return fake_->list_policy_versions.Call(*request, response);
  }
  grpc::Status RollbackPolicy(grpc::ServerContext*, const v1::RollbackPolicyRequest* request,
                              v1::ApplyPolicyResponse* response) override {
    return fake_->rollback_policy.Call(*request, response);
  }
  grpc::Status ListAuditEvents(grpc::ServerContext*, const v1::ListAuditEventsRequest* request,
                               v1::ListAuditEventsResponse* response) override {
    return fake_->list_audit_events.Call(*request, response);
  }
  grpc::Status ListClusters(grpc::ServerContext*, const v1::ListClustersRequest* request,
                            v1::ListClustersResponse* response) override {
    return fake_->list_clusters.Call(*request, response);
  }
  grpc::Status DeleteCluster(grpc::ServerContext*, const v1::DeleteClusterRequest* request,
                             v1::DeleteClusterResponse* response) override {
    return fake_->delete_cluster.Call(*request, response);
  }
  grpc::Status ListUsers(grpc::ServerContext*, const v1::ListUsersRequest* request,
                         v1::ListUsersResponse* response) override {
    return fake_->list_users.Call(*request, response);
  }
  grpc::Status ListAssociations(grpc::ServerContext*, const v1::ListAssociationsRequest* request,
                                v1::ListAssociationsResponse* response) override {
    return fake_->list_associations.Call(*request, response);
  }
  grpc::Status ListQos(grpc::ServerContext*, const v1::ListQosRequest* request,
                       v1::ListQosResponse* response) override {
    return fake_->list_qos.Call(*request, response);
  }
  grpc::Status ListPartitions(grpc::ServerContext*, const v1::ListPartitionsRequest* request,
                              v1::ListPartitionsResponse* response) override {
    return fake_->list_partitions.Call(*request, response);
  }
  grpc::Status UpdatePartitions(grpc::ServerContext*, const v1::UpdatePartitionsRequest* request,
                                v1::ChangeResponse* response) override {
    return fake_->update_partitions.Call(*request, response);
  }
  grpc::Status DeletePartitions(grpc::ServerContext*, const v1::DeletePartitionsRequest* request,
                                v1::ChangeResponse* response) override {
    return fake_->delete_partitions.Call(*request, response);
  }
  grpc::Status ListReservations(grpc::ServerContext*, const v1::ListReservationsRequest* request,
                                v1::ListReservationsResponse* response) override {
    return fake_->list_reservations.Call(*request, response);
  }
  grpc::Status UpdateReservations(grpc::ServerContext*,
                                  const v1::UpdateReservationsRequest* request,
                                  v1::ChangeResponse* response) override {
    return fake_->update_reservations.Call(*request, response);
  }
  grpc::Status DeleteReservations(grpc::ServerContext*,
                                  const v1::DeleteReservationsRequest* request,
                                  v1::ChangeResponse* response) override {
    return fake_->delete_reservations.Call(*request, response);
  }
  grpc::Status ListAliases(grpc::ServerContext*, const v1::ListAliasesRequest* request,
                           v1::ListAliasesResponse* response) override {
    return fake_->list_aliases.Call(*request, response);
  }
  grpc::Status UpdateAliases(grpc::ServerContext*, const v1::UpdateAliasesRequest* request,
                             v1::ChangeResponse* response) override {
    return fake_->update_aliases.Call(*request, response);
  }
  grpc::Status ListUserMerges(grpc::ServerContext*, const v1::ListUserMergesRequest* request,
                              v1::ListUserMergesResponse* response) override {
    return fake_->list_user_merges.Call(*request, response);
  }
  grpc::Status MergeUsers(grpc::ServerContext*, const v1::MergeUsersRequest* request,
                          v1::ChangeResponse* response) override {
    return fake_->merge_users.Call(*request, response);
  }
  grpc::Status UnmergeUsers(grpc::ServerContext*, const v1::UnmergeUsersRequest* request,
                            v1::ChangeResponse* response) override {
    return fake_->unmerge_users.Call(*request, response);
  }
  grpc::Status UpdateGrants(grpc::ServerContext*, const v1::UpdateGrantsRequest* request,
                            v1::ChangeResponse* response) override {
    return fake_->update_grants.Call(*request, response);
  }
  grpc::Status RevokeGrants(grpc::ServerContext*, const v1::RevokeGrantsRequest* request,
                            v1::ChangeResponse* response) override {
    return fake_->revoke_grants.Call(*request, response);
  }
  grpc::Status TransferGrant(grpc::ServerContext*, const v1::TransferGrantRequest* request,
                             v1::ChangeResponse* response) override {
    return fake_->transfer_grant.Call(*request, response);
  }
  grpc::Status ListDomains(grpc::ServerContext*, const v1::ListDomainsRequest* request,
                           v1::ListDomainsResponse* response) override {
    return fake_->list_domains.Call(*request, response);
  }
  grpc::Status UpdateDomain(grpc::ServerContext*, const v1::UpdateDomainRequest* request,
                            v1::ChangeResponse* response) override {
    return fake_->update_domain.Call(*request, response);
  }
  grpc::Status ListLeases(grpc::ServerContext*, const v1::ListLeasesRequest* request,
                          v1::ListLeasesResponse* response) override {
    return fake_->list_leases.Call(*request, response);
  }
  grpc::Status EndLeases(grpc::ServerContext*, const v1::EndLeasesRequest* request,
                         v1::ChangeResponse* response) override {
    return fake_->end_leases.Call(*request, response);
  }

 private:
  FakePriorityd* const fake_;
};

void AnswerOrder::Pass() {
  static absl::Mutex mutex;
  absl::MutexLock lock(&mutex);
}

std::string AddressOfNobody() { return absl::StrCat("127.0.0.1:", FreePort()); }

FakePriorityd::FakePriorityd(const std::string& address)
    : priority_service_(std::make_unique<PriorityServiceAdapter>(this)),
      admin_service_(std::make_unique<AdminServiceAdapter>(this)) {
  int port = 0;
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(256 << 20);
  builder.AddListeningPort(address, grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(priority_service_.get());
  builder.RegisterService(admin_service_.get());
  server_ = builder.BuildAndStart();
  address_ = absl::StrCat("127.0.0.1:", port);
}

FakePriorityd::~FakePriorityd() { server_->Shutdown(); }

}  // namespace priorityd
