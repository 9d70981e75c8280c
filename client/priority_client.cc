#include "client/priority_client.h"

#include <atomic>
#include <chrono>
#include <iostream>
#include <type_traits>
#include <utility>

#include "absl/time/clock.h"
#include "client/channels.h"
#include "client/list_pages.h"
#include "client/rpc_error.h"
#include "client/servers.h"
#include "grpcpp/channel.h"
#include "grpcpp/client_context.h"
#include "priority/v1/admin_service.grpc.pb.h"
#include "priority/v1/priority_service.grpc.pb.h"

namespace priorityd::client {
namespace {

constexpr int kRowsPageSize = 100000;  // Of rows of a few numbers.
constexpr int kPageSize = 10000;
constexpr RetryPolicy kOnce = {.max_attempts = 1};

using Priority = v1::PriorityService::Stub;
using Admin = v1::AdminService::Stub;

// Of a service of the API, at each address.
template <typename Service>
std::unique_ptr<const Servers<typename Service::Stub>> ConnectAll(const ConnectOptions& options) {
  using Stubs = Servers<typename Service::Stub>;
  std::vector<typename Stubs::Server> servers;
  for (const std::string& address : Addresses(options.address)) {
    auto channel = Connect(options, address);
    servers.push_back({channel, Service::NewStub(channel)});
  }
  return std::make_unique<const Stubs>(std::move(servers));
}

template <typename Request>
void FillCluster(const std::string& cluster, Request& request) {
  if constexpr (std::is_same_v<Request, v1::UpdateClusterRequest>) {
    if (request.cluster().name().empty()) request.mutable_cluster()->set_name(cluster);
  } else if constexpr (requires { request.set_cluster(cluster); }) {
    if (request.cluster().empty()) request.set_cluster(cluster);
  }
}

// Puts the proof of who calls into the call.
absl::Status ProveCaller(const ConnectOptions& options, grpc::ClientContext* context) {
  if (options.authorize == nullptr) return absl::OkStatus();
  const absl::StatusOr<std::string> authorization = options.authorize();
  if (!authorization.ok()) return authorization.status();
  if (!authorization->empty()) context->AddMetadata("authorization", *authorization);
  return absl::OkStatus();
}

// Whether the service would take the call with a new credential, and has done nothing as yet: gRPC
// itself may send a call twice where a connection breaks.
bool IsStaleCredential(const absl::Status& status) {
  const std::string reason = Reason(status);
  return absl::IsUnauthenticated(status) &&
         (reason == "MUNGE_REPLAYED" || reason == "MUNGE_EXPIRED");
}

void TellOfRateLimit(const absl::Status& status) {
  std::cerr << "priorityd: " << Describe(status) << "; waiting\n";
}

// `options`, which tell of a rate limit once.
ConnectOptions TellingOnce(ConnectOptions options) {
  auto tell = options.on_rate_limited ? std::move(options.on_rate_limited) : TellOfRateLimit;
  auto told = std::make_shared<std::atomic<bool>>(false);
  options.on_rate_limited = [tell, told](const absl::Status& status) {
    if (!told->exchange(true)) tell(status);
  };
  return options;
}

// Fills in the cluster and calls; again after a passing error if `retry` allows it.
template <typename Stub, typename Request, typename Response>
absl::StatusOr<Response> Call(const ConnectOptions& options, const Servers<Stub>& servers,
                              grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                           Response*),
                              Request request, const RetryPolicy& retry) {
  if (!options.cluster.empty()) FillCluster(options.cluster, request);
  const absl::Time deadline = absl::Now() + options.deadline;
  Response response;
  const auto once = [&] {
    grpc::ClientContext context;
    if (deadline < absl::InfiniteFuture()) context.set_deadline(absl::ToChronoTime(deadline));
    if (absl::Status s = ProveCaller(options, &context); !s.ok()) return s;
    response.Clear();
    return FromGrpc((servers.Live().*method)(&context, request, &response));
  };
  absl::Status last;
  bool told = false;
  const absl::Status status = CallWithRetry(
      retry, deadline,
      [&] {
        last = once();
        return last = IsStaleCredential(last) ? once() : last;
      },
      [&](absl::Duration wait) {
        if (IsRateLimited(last)) {
          options.on_rate_limited(last);
        } else if (options.on_retry && !std::exchange(told, true)) {
          options.on_retry(last);
        }
        absl::SleepFor(wait);
      });
  if (!status.ok()) return status;
  return response;
}

}  // namespace

struct PriorityClient::Stubs {
  std::unique_ptr<const Servers<v1::PriorityService::Stub>> priority;
  std::unique_ptr<const Servers<v1::AdminService::Stub>> admin;
};

PriorityClient::PriorityClient(ConnectOptions options)
    : options_(TellingOnce(std::move(options))),
      stubs_(new Stubs{ConnectAll<v1::PriorityService>(options_),
                       ConnectAll<v1::AdminService>(options_)}) {}

PriorityClient::~PriorityClient() = default;

std::unique_ptr<grpc::ClientAsyncReaderWriter<v1::StreamUsageRequest, v1::StreamUsageResponse>>
PriorityClient::PrepareStreamUsage(grpc::ClientContext* context,
                                   grpc::CompletionQueue* queue) const {
  // Without a proof the service says what it wants.
  ProveCaller(options_, context).IgnoreError();
  return stubs_->priority->Live().PrepareAsyncStreamUsage(context, queue);
}

std::unique_ptr<grpc::ClientReader<v1::WatchRankingResponse>> PriorityClient::OpenWatchRanking(
    grpc::ClientContext* context, const v1::WatchRankingRequest& request) const {
  ProveCaller(options_, context).IgnoreError();
  return stubs_->priority->Live().WatchRanking(context, request);
}

absl::StatusOr<v1::RankJobsResponse> PriorityClient::RankJobs(v1::RankJobsRequest request) const {
  return Call(options_, *stubs_->priority, &Priority::RankJobs, std::move(request), options_.retry);
}

absl::StatusOr<v1::ExplainPriorityResponse> PriorityClient::ExplainPriority(
    v1::ExplainPriorityRequest request) const {
  return Call(options_, *stubs_->priority, &Priority::ExplainPriority, std::move(request),
              options_.retry);
}

absl::StatusOr<v1::LintPolicyResponse> PriorityClient::LintPolicy(
    v1::LintPolicyRequest request) const {
  return Call(options_, *stubs_->priority, &Priority::LintPolicy, std::move(request),
              options_.retry);
}

absl::StatusOr<v1::PlanStartsResponse> PriorityClient::PlanStarts(
    v1::PlanStartsRequest request) const {
  return Call(options_, *stubs_->priority, &Priority::PlanStarts, std::move(request),
              options_.retry);
}

absl::StatusOr<v1::SuggestPreemptionResponse> PriorityClient::SuggestPreemption(
    v1::SuggestPreemptionRequest request) const {
  return Call(options_, *stubs_->priority, &Priority::SuggestPreemption, std::move(request),
              options_.retry);
}

absl::StatusOr<v1::SimulateResponse> PriorityClient::Simulate(v1::SimulateRequest request) const {
  return Call(options_, *stubs_->priority, &Priority::Simulate, std::move(request), options_.retry);
}

absl::StatusOr<v1::UpdateJobsResponse> PriorityClient::UpdateJobs(
    v1::UpdateJobsRequest request) const {
  return Call(options_, *stubs_->priority, &Priority::UpdateJobs, std::move(request),
              options_.retry);
}

absl::StatusOr<v1::TopJobsResponse> PriorityClient::TopJobs(v1::TopJobsRequest request) const {
  return Call(options_, *stubs_->priority, &Priority::TopJobs, std::move(request), options_.retry);
}

absl::StatusOr<v1::ListJobsResponse> PriorityClient::ListJobs(v1::ListJobsRequest request) const {
  return Call(options_, *stubs_->priority, &Priority::ListJobs, std::move(request), options_.retry);
}

absl::StatusOr<v1::ListJobsResponse> PriorityClient::ListAllJobs(
    v1::ListJobsRequest request) const {
  if (request.page_size() == 0) request.set_page_size(kPageSize);
  return AllPages(std::move(request), [this](const auto& page) { return ListJobs(page); });
}

absl::StatusOr<v1::RecordUsageResponse> PriorityClient::RecordUsage(
    v1::RecordUsageRequest request) const {
  return Call(options_, *stubs_->priority, &Priority::RecordUsage, std::move(request),
              options_.retry);
}

absl::StatusOr<v1::ListSharesResponse> PriorityClient::ListShares(
    v1::ListSharesRequest request) const {
  return Call(options_, *stubs_->priority, &Priority::ListShares, std::move(request),
              options_.retry);
}

absl::StatusOr<v1::ListSharesResponse> PriorityClient::ListAllShares(
    v1::ListSharesRequest request) const {
  if (request.page_size() == 0) request.set_page_size(kRowsPageSize);
  return AllPagesOfOne(request, [this](const auto& page) { return ListShares(page); });
}

absl::StatusOr<v1::ReportUsageResponse> PriorityClient::ReportUsage(
    v1::ReportUsageRequest request) const {
  return Call(options_, *stubs_->priority, &Priority::ReportUsage, std::move(request),
              options_.retry);
}

absl::StatusOr<v1::ReportUsageResponse> PriorityClient::ReportAllUsage(
    v1::ReportUsageRequest request) const {
  if (request.page_size() == 0) request.set_page_size(kRowsPageSize);
  return AllPages(std::move(request), [this](const auto& page) { return ReportUsage(page); });
}

absl::StatusOr<v1::ListShareHistoryResponse> PriorityClient::ListWholeShareHistory(
    v1::ListShareHistoryRequest request) const {
  return AllPages(std::move(request), [this](const auto& page) {
    return Call(options_, *stubs_->priority, &Priority::ListShareHistory, page, options_.retry);
  });
}

absl::StatusOr<v1::ImportResponse> PriorityClient::Import(v1::ImportRequest request) const {
  return Call(options_, *stubs_->admin, &Admin::Import, std::move(request), kOnce);
}

absl::StatusOr<v1::ApplyPolicyResponse> PriorityClient::ApplyPolicy(
    v1::ApplyPolicyRequest request) const {
  return Call(options_, *stubs_->admin, &Admin::ApplyPolicy, std::move(request), kOnce);
}

absl::StatusOr<v1::Policy> PriorityClient::GetPolicy(v1::GetPolicyRequest request) const {
  return Call(options_, *stubs_->admin, &Admin::GetPolicy, std::move(request), options_.retry);
}

absl::StatusOr<v1::GetStatusResponse> PriorityClient::GetStatus(
    v1::GetStatusRequest request) const {
  return Call(options_, *stubs_->admin, &Admin::GetStatus, std::move(request), options_.retry);
}

absl::StatusOr<v1::Cluster> PriorityClient::UpdateCluster(v1::UpdateClusterRequest request) const {
  return Call(options_, *stubs_->admin, &Admin::UpdateCluster, std::move(request), kOnce);
}

absl::StatusOr<v1::ListClustersResponse> PriorityClient::ListClusters(
    v1::ListClustersRequest request) const {
  return Call(options_, *stubs_->admin, &Admin::ListClusters, std::move(request), options_.retry);
}

absl::StatusOr<v1::ApplyPolicyResponse> PriorityClient::RollbackPolicy(
    v1::RollbackPolicyRequest request) const {
  return Call(options_, *stubs_->admin, &Admin::RollbackPolicy, std::move(request), kOnce);
}

absl::StatusOr<v1::ListPolicyVersionsResponse> PriorityClient::ListPolicyVersions(
    v1::ListPolicyVersionsRequest request, uint32_t limit) const {
  const auto list = [&](const v1::ListPolicyVersionsRequest& page) {
    return Call(options_, *stubs_->admin, &Admin::ListPolicyVersions, page, options_.retry);
  };
  return FirstOf(limit, std::move(request), list, [](const v1::ListPolicyVersionsResponse& answer) {
    return answer.versions_size();
  });
}

absl::StatusOr<v1::ListAuditEventsResponse> PriorityClient::ListAuditEvents(
    v1::ListAuditEventsRequest request, uint32_t limit) const {
  const auto list = [&](const v1::ListAuditEventsRequest& page) {
    return Call(options_, *stubs_->admin, &Admin::ListAuditEvents, page, options_.retry);
  };
  return FirstOf(limit, std::move(request), list,
                 [](const v1::ListAuditEventsResponse& answer) { return answer.events_size(); });
}

absl::StatusOr<v1::Snapshot> PriorityClient::Recalculate(v1::RecalculateRequest request) const {
  return Call(options_, *stubs_->admin, &Admin::Recalculate, std::move(request), kOnce);
}

absl::StatusOr<v1::ResetUsageResponse> PriorityClient::ResetUsage(
    v1::ResetUsageRequest request) const {
  return Call(options_, *stubs_->admin, &Admin::ResetUsage, std::move(request), kOnce);
}

absl::StatusOr<v1::ListAssociationsResponse> PriorityClient::ListAllAssociations(
    v1::ListAssociationsRequest request) const {
  if (request.page_size() == 0) request.set_page_size(kPageSize);
  return AllConfigurationPages(std::move(request), [this](const auto& page) {
    return Call(options_, *stubs_->admin, &Admin::ListAssociations, page, options_.retry);
  });
}

absl::StatusOr<v1::ListUsersResponse> PriorityClient::ListAllUsers(
    v1::ListUsersRequest request) const {
  if (request.page_size() == 0) request.set_page_size(kPageSize);
  return AllConfigurationPages(std::move(request), [this](const auto& page) {
    return Call(options_, *stubs_->admin, &Admin::ListUsers, page, options_.retry);
  });
}

absl::StatusOr<v1::ChangeResponse> PriorityClient::CreateAssociations(
    v1::CreateAssociationsRequest request) const {
  return Call(options_, *stubs_->admin, &Admin::CreateAssociations, std::move(request), kOnce);
}

absl::StatusOr<v1::ChangeResponse> PriorityClient::UpdateAssociations(
    v1::UpdateAssociationsRequest request) const {
  return Call(options_, *stubs_->admin, &Admin::UpdateAssociations, std::move(request), kOnce);
}

absl::StatusOr<v1::ChangeResponse> PriorityClient::DeleteAssociations(
    v1::DeleteAssociationsRequest request) const {
  return Call(options_, *stubs_->admin, &Admin::DeleteAssociations, std::move(request), kOnce);
}

absl::StatusOr<v1::ChangeResponse> PriorityClient::UpdateUsers(
    v1::UpdateUsersRequest request) const {
  return Call(options_, *stubs_->admin, &Admin::UpdateUsers, std::move(request), kOnce);
}

absl::StatusOr<v1::ListQosResponse> PriorityClient::ListQos(v1::ListQosRequest request) const {
  return Call(options_, *stubs_->admin, &Admin::ListQos, std::move(request), options_.retry);
}

absl::StatusOr<v1::ChangeResponse> PriorityClient::CreateQos(v1::CreateQosRequest request) const {
  return Call(options_, *stubs_->admin, &Admin::CreateQos, std::move(request), kOnce);
}

absl::StatusOr<v1::ChangeResponse> PriorityClient::UpdateQos(v1::UpdateQosRequest request) const {
  return Call(options_, *stubs_->admin, &Admin::UpdateQos, std::move(request), kOnce);
}

absl::StatusOr<v1::ChangeResponse> PriorityClient::DeleteQos(v1::DeleteQosRequest request) const {
  return Call(options_, *stubs_->admin, &Admin::DeleteQos, std::move(request), kOnce);
}

absl::StatusOr<v1::ListPartitionsResponse> PriorityClient::ListPartitions(
    v1::ListPartitionsRequest request) const {
  return Call(options_, *stubs_->admin, &Admin::ListPartitions, std::move(request), options_.retry);
}

absl::StatusOr<v1::ChangeResponse> PriorityClient::UpdatePartitions(
    v1::UpdatePartitionsRequest request) const {
  return Call(options_, *stubs_->admin, &Admin::UpdatePartitions, std::move(request), kOnce);
}

absl::StatusOr<v1::ChangeResponse> PriorityClient::DeletePartitions(
    v1::DeletePartitionsRequest request) const {
  return Call(options_, *stubs_->admin, &Admin::DeletePartitions, std::move(request), kOnce);
}

absl::StatusOr<v1::DeleteClusterResponse> PriorityClient::DeleteCluster(
    v1::DeleteClusterRequest request) const {
  return Call(options_, *stubs_->admin, &Admin::DeleteCluster, std::move(request), kOnce);
}

absl::StatusOr<v1::ExportResponse> PriorityClient::Export(v1::ExportRequest request) const {
  return Call(options_, *stubs_->admin, &Admin::Export, std::move(request), options_.retry);
}

absl::StatusOr<v1::RebuildUsageResponse> PriorityClient::RebuildUsage(
    v1::RebuildUsageRequest request,
    absl::FunctionRef<void(const v1::RebuildUsageResponse&)> progress) const {
  if (!options_.cluster.empty()) FillCluster(options_.cluster, request);
  grpc::ClientContext context;
  const absl::Time deadline = absl::Now() + options_.deadline;
  if (deadline < absl::InfiniteFuture()) context.set_deadline(absl::ToChronoTime(deadline));
  if (absl::Status s = ProveCaller(options_, &context); !s.ok()) return s;
  auto reader = stubs_->admin->Live().RebuildUsage(&context, request);
  v1::RebuildUsageResponse response;
  while (reader->Read(&response)) {
    if (!response.done()) progress(response);
  }
  const absl::Status status = FromGrpc(reader->Finish());
  if (!status.ok()) return status;
  if (!response.done()) return absl::InternalError("rebuild: the answer ended before its result");
  return response;
}

}  // namespace priorityd::client
