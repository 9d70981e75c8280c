#include "client/priority_client.h"

#include <atomic>
#include <chrono>
#include <iostream>
#include <type_traits>
#include <utility>

#include "absl/time/clock.h"
#include "client/rpc_error.h"
#include "grpcpp/channel.h"
#include "grpcpp/client_context.h"
#include "grpcpp/create_channel.h"
#include "priority/v1/admin_service.grpc.pb.h"
#include "priority/v1/priority_service.grpc.pb.h"

namespace priorityd::client {
namespace {

constexpr int kSharesPageSize = 100000;
constexpr int kJobsPageSize = 10000;
constexpr int kReportPageSize = 100000;
constexpr int kListAttempts = 3;
constexpr RetryPolicy kOnce = {.max_attempts = 1};

std::shared_ptr<grpc::Channel> Connect(const ConnectOptions& options) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(options.max_message_bytes);
  arguments.SetMaxSendMessageSize(options.max_message_bytes);
  // http_proxy is for the way out of a site; priorityd stands inside it.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // gRPC's own second between two attempts to connect is longer than a person's
  // patience and than our own waits.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 5000);
  auto credentials = options.credentials ? options.credentials : grpc::InsecureChannelCredentials();
  return grpc::CreateCustomChannel(options.address, credentials, arguments);
}

template <typename Request>
void FillCluster(const std::string& cluster, Request& request) {
  if constexpr (std::is_same_v<Request, v1::UpdateClusterRequest>) {
    if (request.cluster().name().empty()) request.mutable_cluster()->set_name(cluster);
  } else {
    if (request.cluster().empty()) request.set_cluster(cluster);
  }
}

// Every page of a list in one answer: `list` answers one page of `request`.
template <typename Request, typename List>
auto AllPages(Request request, const List& list) -> decltype(list(request)) {
  request.clear_page_token();
  typename decltype(list(request))::value_type all;
  do {
    auto page = list(request);
    if (!page.ok()) return page.status();
    request.set_page_token(page->next_page_token());
    all.MergeFrom(*page);
  } while (!request.page_token().empty());
  all.clear_next_page_token();
  return all;
}

// The same, all of one snapshot: starts again when another one comes before the
// last page.
template <typename Request, typename List>
auto AllPagesOfOne(const Request& request, const List& list) -> decltype(list(request)) {
  decltype(list(request)) all;
  for (int attempt = 0; attempt < kListAttempts; ++attempt) {
    std::optional<int64_t> generation;
    all = AllPages(request, [&](const Request& page) -> decltype(list(request)) {
      auto answer = list(page);
      if (!answer.ok()) return answer;
      const int64_t of_page = answer->snapshot().generation();
      if (generation.value_or(of_page) == of_page) {
        generation = of_page;
        return answer;
      }
      return absl::AbortedError("the list: a recalculation came between its pages; try again");
    });
    if (!absl::IsAborted(all.status())) break;
  }
  return all;
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
absl::StatusOr<Response> Call(const ConnectOptions& options, Stub& stub,
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
    return FromGrpc((stub.*method)(&context, request, &response));
  };
  absl::Status last;
  const absl::Status status = CallWithRetry(
      retry, deadline,
      [&] {
        last = once();
        return last = IsStaleCredential(last) ? once() : last;
      },
      [&](absl::Duration wait) {
        if (IsRateLimited(last)) options.on_rate_limited(last);
        absl::SleepFor(wait);
      });
  if (!status.ok()) return status;
  return response;
}

}  // namespace

struct PriorityClient::Stubs {
  std::unique_ptr<v1::PriorityService::Stub> priority;
  std::unique_ptr<v1::AdminService::Stub> admin;
};

PriorityClient::PriorityClient(ConnectOptions options)
    : options_(TellingOnce(std::move(options))),
      stubs_(new Stubs{v1::PriorityService::NewStub(Connect(options_)),
                       v1::AdminService::NewStub(Connect(options_))}) {}

PriorityClient::~PriorityClient() = default;

std::unique_ptr<grpc::ClientAsyncReaderWriter<v1::StreamUsageRequest, v1::StreamUsageResponse>>
PriorityClient::PrepareStreamUsage(grpc::ClientContext* context,
                                   grpc::CompletionQueue* queue) const {
  // Without a proof the service says what it wants.
  ProveCaller(options_, context).IgnoreError();
  return stubs_->priority->PrepareAsyncStreamUsage(context, queue);
}

std::unique_ptr<grpc::ClientReader<v1::WatchRankingResponse>> PriorityClient::OpenWatchRanking(
    grpc::ClientContext* context, const v1::WatchRankingRequest& request) const {
  ProveCaller(options_, context).IgnoreError();
  return stubs_->priority->WatchRanking(context, request);
}

absl::StatusOr<v1::RankJobsResponse> PriorityClient::RankJobs(v1::RankJobsRequest request) const {
  return Call(options_, *stubs_->priority, &v1::PriorityService::Stub::RankJobs, std::move(request),
              options_.retry);
}

absl::StatusOr<v1::ExplainPriorityResponse> PriorityClient::ExplainPriority(
    v1::ExplainPriorityRequest request) const {
  return Call(options_, *stubs_->priority, &v1::PriorityService::Stub::ExplainPriority,
              std::move(request), options_.retry);
}

absl::StatusOr<v1::LintPolicyResponse> PriorityClient::LintPolicy(
    v1::LintPolicyRequest request) const {
  return Call(options_, *stubs_->priority, &v1::PriorityService::Stub::LintPolicy,
              std::move(request), options_.retry);
}

absl::StatusOr<v1::SimulateResponse> PriorityClient::Simulate(v1::SimulateRequest request) const {
  return Call(options_, *stubs_->priority, &v1::PriorityService::Stub::Simulate, std::move(request),
              options_.retry);
}

absl::StatusOr<v1::UpdateJobsResponse> PriorityClient::UpdateJobs(
    v1::UpdateJobsRequest request) const {
  return Call(options_, *stubs_->priority, &v1::PriorityService::Stub::UpdateJobs,
              std::move(request), options_.retry);
}

absl::StatusOr<v1::TopJobsResponse> PriorityClient::TopJobs(v1::TopJobsRequest request) const {
  return Call(options_, *stubs_->priority, &v1::PriorityService::Stub::TopJobs, std::move(request),
              options_.retry);
}

absl::StatusOr<v1::ListJobsResponse> PriorityClient::ListJobs(v1::ListJobsRequest request) const {
  return Call(options_, *stubs_->priority, &v1::PriorityService::Stub::ListJobs, std::move(request),
              options_.retry);
}

absl::StatusOr<v1::ListJobsResponse> PriorityClient::ListAllJobs(
    v1::ListJobsRequest request) const {
  if (request.page_size() == 0) request.set_page_size(kJobsPageSize);
  return AllPages(std::move(request), [this](const auto& page) { return ListJobs(page); });
}

absl::StatusOr<v1::RecordUsageResponse> PriorityClient::RecordUsage(
    v1::RecordUsageRequest request) const {
  return Call(options_, *stubs_->priority, &v1::PriorityService::Stub::RecordUsage,
              std::move(request), options_.retry);
}

absl::StatusOr<v1::ListSharesResponse> PriorityClient::ListShares(
    v1::ListSharesRequest request) const {
  return Call(options_, *stubs_->priority, &v1::PriorityService::Stub::ListShares,
              std::move(request), options_.retry);
}

absl::StatusOr<v1::ListSharesResponse> PriorityClient::ListAllShares(
    v1::ListSharesRequest request) const {
  if (request.page_size() == 0) request.set_page_size(kSharesPageSize);
  return AllPagesOfOne(request, [this](const auto& page) { return ListShares(page); });
}

absl::StatusOr<v1::ReportUsageResponse> PriorityClient::ReportUsage(
    v1::ReportUsageRequest request) const {
  return Call(options_, *stubs_->priority, &v1::PriorityService::Stub::ReportUsage,
              std::move(request), options_.retry);
}

absl::StatusOr<v1::ReportUsageResponse> PriorityClient::ReportAllUsage(
    v1::ReportUsageRequest request) const {
  if (request.page_size() == 0) request.set_page_size(kReportPageSize);
  return AllPages(std::move(request), [this](const auto& page) { return ReportUsage(page); });
}

absl::StatusOr<v1::ListShareHistoryResponse> PriorityClient::ListWholeShareHistory(
    v1::ListShareHistoryRequest request) const {
  return AllPages(std::move(request), [this](const auto& page) {
    return Call(options_, *stubs_->priority, &v1::PriorityService::Stub::ListShareHistory, page,
                options_.retry);
  });
}

absl::StatusOr<v1::ImportResponse> PriorityClient::Import(v1::ImportRequest request) const {
  return Call(options_, *stubs_->admin, &v1::AdminService::Stub::Import, std::move(request), kOnce);
}

absl::StatusOr<v1::ApplyPolicyResponse> PriorityClient::ApplyPolicy(
    v1::ApplyPolicyRequest request) const {
  return Call(options_, *stubs_->admin, &v1::AdminService::Stub::ApplyPolicy, std::move(request),
              kOnce);
}

absl::StatusOr<v1::Policy> PriorityClient::GetPolicy(v1::GetPolicyRequest request) const {
  return Call(options_, *stubs_->admin, &v1::AdminService::Stub::GetPolicy, std::move(request),
              options_.retry);
}

absl::StatusOr<v1::GetStatusResponse> PriorityClient::GetStatus(
    v1::GetStatusRequest request) const {
  return Call(options_, *stubs_->admin, &v1::AdminService::Stub::GetStatus, std::move(request),
              options_.retry);
}

absl::StatusOr<v1::Cluster> PriorityClient::UpdateCluster(v1::UpdateClusterRequest request) const {
  return Call(options_, *stubs_->admin, &v1::AdminService::Stub::UpdateCluster, std::move(request),
              kOnce);
}

absl::StatusOr<v1::Snapshot> PriorityClient::Recalculate(v1::RecalculateRequest request) const {
  return Call(options_, *stubs_->admin, &v1::AdminService::Stub::Recalculate, std::move(request),
              kOnce);
}

absl::StatusOr<v1::ResetUsageResponse> PriorityClient::ResetUsage(
    v1::ResetUsageRequest request) const {
  return Call(options_, *stubs_->admin, &v1::AdminService::Stub::ResetUsage, std::move(request),
              kOnce);
}

absl::StatusOr<v1::RebuildUsageResponse> PriorityClient::RebuildUsage(
    v1::RebuildUsageRequest request,
    absl::FunctionRef<void(const v1::RebuildUsageResponse&)> progress) const {
  if (!options_.cluster.empty()) FillCluster(options_.cluster, request);
  grpc::ClientContext context;
  const absl::Time deadline = absl::Now() + options_.deadline;
  if (deadline < absl::InfiniteFuture()) context.set_deadline(absl::ToChronoTime(deadline));
  if (absl::Status s = ProveCaller(options_, &context); !s.ok()) return s;
  auto reader = stubs_->admin->RebuildUsage(&context, request);
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
