// The client library of priorityd, for frontends, collectors and prioctl.
#ifndef PRIORITYD_CLIENT_PRIORITY_CLIENT_H_
#define PRIORITYD_CLIENT_PRIORITY_CLIENT_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/authorization.h"
#include "client/retry.h"
#include "priority/v1/admin_service.pb.h"
#include "priority/v1/priority_service.pb.h"

namespace grpc {
class ChannelCredentials;
class ClientContext;
class CompletionQueue;
template <class Message>
class ClientReader;
template <class Request, class Response>
class ClientAsyncReaderWriter;
}  // namespace grpc

namespace priorityd::client {

namespace v1 = ::priority::v1;

// The options of the connection to the service.
struct ConnectOptions {
  // host:port, unix:PATH, or any other name that gRPC resolves; several divided by commas are
  // replicas of one service: each attempt of a call goes to the one that answered last, or, if
  // that cannot be reached, to the next that can.
  std::string address = "127.0.0.1:7411";
  // Set in every request that names no cluster; empty = the service's only cluster.
  std::string cluster;
  // The time limit of one call, all its attempts together.
  absl::Duration deadline = absl::Minutes(1);
  // While a call is open, a server silent for keepalive_time gets a ping, and without an answer
  // within keepalive_timeout the call ends with UNAVAILABLE. The service drops a client that pings
  // more often than every 5 seconds.
  absl::Duration keepalive_time = absl::Seconds(30);
  absl::Duration keepalive_timeout = absl::Seconds(20);
  // The largest request or answer. 200,000 jobs are about 14 MB.
  int max_message_bytes = 256 << 20;
  // The policy of idempotent calls: all of PriorityService (RecordUsage
  // is idempotent by record_id), GetPolicy and GetStatus.
  RetryPolicy retry;
  // See MakeChannelCredentials; unset = no encryption.
  std::shared_ptr<grpc::ChannelCredentials> credentials;
  // See MakeAuthorize; unset = calls prove nothing. A call whose MUNGE credential was replayed or
  // expired is sent again with a new one, once.
  Authorize authorize;
  // Called once for a client, with the service's error, when a call waits because of the service's
  // rate limit. Unset = one line on stderr. Must be thread-safe.
  std::function<void(const absl::Status&)> on_rate_limited;
  // Called once for a call, with its error, before it is retried for another reason. Must be
  // thread-safe.
  std::function<void(const absl::Status&)> on_retry;
};

// A connection to priorityd. Connects on first use, and again when the
// connection is lost. Thread-safe. The functions of rpc_error.h read the
// google.rpc details of an error.
class PriorityClient {
 public:
  explicit PriorityClient(ConnectOptions options);
  ~PriorityClient();

  absl::StatusOr<v1::RankJobsResponse> RankJobs(v1::RankJobsRequest request) const;
  absl::StatusOr<v1::ExplainPriorityResponse> ExplainPriority(
      v1::ExplainPriorityRequest request) const;
  absl::StatusOr<v1::LintPolicyResponse> LintPolicy(v1::LintPolicyRequest request) const;
  absl::StatusOr<v1::PlanStartsResponse> PlanStarts(v1::PlanStartsRequest request) const;
  absl::StatusOr<v1::ForecastStartsResponse> ForecastStarts(
      v1::ForecastStartsRequest request) const;
  // For any number of job_ids, by as many calls as they need; score and as_of are of the last one.
  absl::StatusOr<v1::ForecastStartsResponse> ForecastAllStarts(
      v1::ForecastStartsRequest request) const;
  absl::StatusOr<v1::ScoreForecastsResponse> ScoreForecasts(
      v1::ScoreForecastsRequest request) const;
  absl::StatusOr<v1::SuggestPreemptionResponse> SuggestPreemption(
      v1::SuggestPreemptionRequest request) const;
  absl::StatusOr<v1::SimulateResponse> Simulate(v1::SimulateRequest request) const;
  absl::StatusOr<v1::UpdateJobsResponse> UpdateJobs(v1::UpdateJobsRequest request) const;
  absl::StatusOr<v1::TopJobsResponse> TopJobs(v1::TopJobsRequest request) const;
  absl::StatusOr<v1::ListJobsResponse> ListJobs(v1::ListJobsRequest request) const;

  // Every page of ListJobs in one answer; jobs that are added, removed or moved meanwhile may be in
  // it or not. Ignores page_token.
  absl::StatusOr<v1::ListJobsResponse> ListAllJobs(v1::ListJobsRequest request) const;

  absl::StatusOr<v1::RecordUsageResponse> RecordUsage(v1::RecordUsageRequest request) const;
  // A stream that is not started yet; UsageStream drives it.
  std::unique_ptr<grpc::ClientAsyncReaderWriter<v1::StreamUsageRequest, v1::StreamUsageResponse>>
  PrepareStreamUsage(grpc::ClientContext* context, grpc::CompletionQueue* queue) const;
  // A started watch; RankingWatch drives it. Without a deadline.
  std::unique_ptr<grpc::ClientReader<v1::WatchRankingResponse>> OpenWatchRanking(
      grpc::ClientContext* context, const v1::WatchRankingRequest& request) const;
  absl::StatusOr<v1::ListSharesResponse> ListShares(v1::ListSharesRequest request) const;

  // Every page of ListShares in one answer, all of one snapshot: starts again
  // when a new snapshot is published before the last page; ABORTED when that happens too often.
  // Ignores page_token.
  absl::StatusOr<v1::ListSharesResponse> ListAllShares(v1::ListSharesRequest request) const;

  absl::StatusOr<v1::ReportUsageResponse> ReportUsage(v1::ReportUsageRequest request) const;

  // Every page of ReportUsage in one answer. Ignores page_token.
  absl::StatusOr<v1::ReportUsageResponse> ReportAllUsage(v1::ReportUsageRequest request) const;

  // Every page of ListUsageRecords in one answer, up to the page that exceeds `most` records: an
  // answer with more than `most` is incomplete. Ignores page_token.
  absl::StatusOr<v1::ListUsageRecordsResponse> ListAllUsageRecords(
      v1::ListUsageRecordsRequest request, int64_t most) const;

  // Every page of ListShareHistory in one answer. Ignores page_token.
  absl::StatusOr<v1::ListShareHistoryResponse> ListWholeShareHistory(
      v1::ListShareHistoryRequest request) const;

  absl::StatusOr<v1::ListQosUsageResponse> ListQosUsage(v1::ListQosUsageRequest request) const;
  // Every page of ListBudgets in one answer, of one snapshot, as ListAllShares.
  absl::StatusOr<v1::ListBudgetsResponse> ListAllBudgets(v1::ListBudgetsRequest request) const;
  absl::StatusOr<v1::ListBudgetEventsResponse> ListBudgetEvents(
      v1::ListBudgetEventsRequest request) const;
  absl::StatusOr<v1::EstimateJobCostResponse> EstimateJobCost(
      v1::EstimateJobCostRequest request) const;
  absl::StatusOr<v1::ListGrantsResponse> ListGrants(v1::ListGrantsRequest request) const;
  absl::StatusOr<v1::GetGrantStatementResponse> GetGrantStatement(
      v1::GetGrantStatementRequest request) const;

  absl::StatusOr<v1::Caller> GetCaller(v1::GetCallerRequest request) const;

  absl::StatusOr<v1::ImportResponse> Import(v1::ImportRequest request) const;
  absl::StatusOr<v1::ApplyPolicyResponse> ApplyPolicy(v1::ApplyPolicyRequest request) const;
  absl::StatusOr<v1::Policy> GetPolicy(v1::GetPolicyRequest request) const;
  absl::StatusOr<v1::Cluster> UpdateCluster(v1::UpdateClusterRequest request) const;
  absl::StatusOr<v1::ListClustersResponse> ListClusters(v1::ListClustersRequest request) const;
  absl::StatusOr<v1::DeleteClusterResponse> DeleteCluster(v1::DeleteClusterRequest request) const;
  absl::StatusOr<v1::Cluster> RestoreCluster(v1::RestoreClusterRequest request) const;
  absl::StatusOr<v1::UndoImportResponse> UndoImport(v1::UndoImportRequest request) const;
  // These two take as long as the database is large.
  absl::StatusOr<v1::Backup> CreateBackup(v1::CreateBackupRequest request) const;
  absl::StatusOr<v1::Backup> VerifyBackup(v1::VerifyBackupRequest request) const;
  absl::StatusOr<v1::ListBackupsResponse> ListBackups(v1::ListBackupsRequest request) const;
  // A move has the same result if a step, or a page, is sent again.
  absl::StatusOr<v1::ClusterMove> MoveCluster(v1::MoveClusterRequest request) const;
  absl::StatusOr<v1::ClusterRows> ReadClusterRows(v1::ReadClusterRowsRequest request) const;
  absl::StatusOr<v1::MovedTable> WriteClusterRows(v1::WriteClusterRowsRequest request) const;
  absl::StatusOr<v1::ApplyPolicyResponse> RollbackPolicy(v1::RollbackPolicyRequest request) const;
  // The newest of a list in one answer; limit 0 = all.
  absl::StatusOr<v1::ListPolicyVersionsResponse> ListPolicyVersions(
      v1::ListPolicyVersionsRequest request, uint32_t limit = 0) const;
  absl::StatusOr<v1::ListAuditEventsResponse> ListAuditEvents(v1::ListAuditEventsRequest request,
                                                              uint32_t limit = 0) const;
  absl::StatusOr<v1::Snapshot> Recalculate(v1::RecalculateRequest request) const;
  absl::StatusOr<v1::ResetUsageResponse> ResetUsage(v1::ResetUsageRequest request) const;
  // Every page of ListUsageSources in one answer. Ignores page_token.
  absl::StatusOr<v1::ListUsageSourcesResponse> ListAllUsageSources(
      v1::ListUsageSourcesRequest request) const;
  // One round each; see VoidUsageResponse.done.
  absl::StatusOr<v1::VoidUsageResponse> VoidUsage(v1::VoidUsageRequest request) const;
  absl::StatusOr<v1::VoidUsageResponse> RestoreUsage(v1::RestoreUsageRequest request) const;

  // Gives every message except the last to `progress`; returns the last. INTERNAL if
  // the service ends the stream without it.
  absl::StatusOr<v1::RebuildUsageResponse> RebuildUsage(
      v1::RebuildUsageRequest request,
      absl::FunctionRef<void(const v1::RebuildUsageResponse&)> progress) const;

  absl::StatusOr<v1::GetStatusResponse> GetStatus(v1::GetStatusRequest request) const;

  // Every page in one answer, with the etag of the first: a change between pages makes it stale.
  // Each ignores page_token.
  absl::StatusOr<v1::ListAssociationsResponse> ListAllAssociations(
      v1::ListAssociationsRequest request) const;
  absl::StatusOr<v1::ListUsersResponse> ListAllUsers(v1::ListUsersRequest request) const;

  absl::StatusOr<v1::ChangeResponse> CreateAssociations(
      v1::CreateAssociationsRequest request) const;
  absl::StatusOr<v1::ChangeResponse> UpdateAssociations(
      v1::UpdateAssociationsRequest request) const;
  absl::StatusOr<v1::ChangeResponse> DeleteAssociations(
      v1::DeleteAssociationsRequest request) const;
  absl::StatusOr<v1::ChangeResponse> UpdateUsers(v1::UpdateUsersRequest request) const;
  absl::StatusOr<v1::ListQosResponse> ListQos(v1::ListQosRequest request) const;
  absl::StatusOr<v1::ChangeResponse> CreateQos(v1::CreateQosRequest request) const;
  absl::StatusOr<v1::ChangeResponse> UpdateQos(v1::UpdateQosRequest request) const;
  absl::StatusOr<v1::ChangeResponse> DeleteQos(v1::DeleteQosRequest request) const;
  absl::StatusOr<v1::ListPartitionsResponse> ListPartitions(
      v1::ListPartitionsRequest request) const;
  absl::StatusOr<v1::ChangeResponse> UpdatePartitions(v1::UpdatePartitionsRequest request) const;
  absl::StatusOr<v1::ChangeResponse> DeletePartitions(v1::DeletePartitionsRequest request) const;
  absl::StatusOr<v1::ListLeasesResponse> ListLeases(v1::ListLeasesRequest request) const;
  absl::StatusOr<v1::ChangeResponse> EndLeases(v1::EndLeasesRequest request) const;
  absl::StatusOr<v1::ListReservationsResponse> ListReservations(
      v1::ListReservationsRequest request) const;
  absl::StatusOr<v1::ChangeResponse> UpdateReservations(
      v1::UpdateReservationsRequest request) const;
  absl::StatusOr<v1::ChangeResponse> DeleteReservations(
      v1::DeleteReservationsRequest request) const;
  // Every page in one answer, as ListAllUsers.
  absl::StatusOr<v1::ListAliasesResponse> ListAllAliases(v1::ListAliasesRequest request) const;
  absl::StatusOr<v1::ChangeResponse> UpdateAliases(v1::UpdateAliasesRequest request) const;
  absl::StatusOr<v1::ListUserMergesResponse> ListUserMerges(
      v1::ListUserMergesRequest request) const;
  absl::StatusOr<v1::ChangeResponse> MergeUsers(v1::MergeUsersRequest request) const;
  absl::StatusOr<v1::ChangeResponse> UnmergeUsers(v1::UnmergeUsersRequest request) const;
  absl::StatusOr<v1::ChangeResponse> UpdateGrants(v1::UpdateGrantsRequest request) const;
  absl::StatusOr<v1::ChangeResponse> RevokeGrants(v1::RevokeGrantsRequest request) const;
  absl::StatusOr<v1::ChangeResponse> TransferGrant(v1::TransferGrantRequest request) const;
  absl::StatusOr<v1::ListDomainsResponse> ListDomains(v1::ListDomainsRequest request) const;
  absl::StatusOr<v1::ChangeResponse> UpdateDomain(v1::UpdateDomainRequest request) const;
  absl::StatusOr<v1::ExportResponse> Export(v1::ExportRequest request) const;

  // Whether the service takes calls, by gRPC's health protocol, without retries. Empty is all of
  // priorityd; with `priorityd.recording`, whether usage is being written. NOT_FOUND for an unknown
  // service.
  absl::StatusOr<bool> Serving(const std::string& service = "") const;

  const ConnectOptions& options() const { return options_; }

 private:
  class Stubs;

  const ConnectOptions options_;
  const std::unique_ptr<const Stubs> stubs_;
};

}  // namespace priorityd::client

#endif  // PRIORITYD_CLIENT_PRIORITY_CLIENT_H_
