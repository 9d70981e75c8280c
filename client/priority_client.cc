#include "client/priority_client.h"

#include <utility>

#include "client/list_pages.h"
#include "client/stubs.h"

namespace priorityd::client {

PriorityClient::PriorityClient(ConnectOptions options)
    : options_(ReportingOnce(std::move(options))), stubs_(new Stubs(options_)) {}

PriorityClient::~PriorityClient() = default;

std::unique_ptr<grpc::ClientReader<v1::WatchRankingResponse>> PriorityClient::OpenWatchRanking(
    grpc::ClientContext* context, const v1::WatchRankingRequest& request) const {
  stubs_->Prove(context).IgnoreError();
  AddCluster(stubs_->ClusterOf(request), context);
  return stubs_->Live<Priority>().WatchRanking(context, request);
}

absl::StatusOr<v1::RankJobsResponse> PriorityClient::RankJobs(v1::RankJobsRequest request) const {
  return stubs_->Ask(&Priority::RankJobs, std::move(request));
}

absl::StatusOr<v1::ExplainPriorityResponse> PriorityClient::ExplainPriority(
    v1::ExplainPriorityRequest request) const {
  return stubs_->Ask(&Priority::ExplainPriority, std::move(request));
}

absl::StatusOr<v1::LintPolicyResponse> PriorityClient::LintPolicy(
    v1::LintPolicyRequest request) const {
  return stubs_->Ask(&Priority::LintPolicy, std::move(request));
}

absl::StatusOr<v1::PlanStartsResponse> PriorityClient::PlanStarts(
    v1::PlanStartsRequest request) const {
  return stubs_->Ask(&Priority::PlanStarts, std::move(request));
}

absl::StatusOr<v1::SuggestPreemptionResponse> PriorityClient::SuggestPreemption(
    v1::SuggestPreemptionRequest request) const {
  return stubs_->Ask(&Priority::SuggestPreemption, std::move(request));
}

absl::StatusOr<v1::SimulateResponse> PriorityClient::Simulate(v1::SimulateRequest request) const {
  return stubs_->Ask(&Priority::Simulate, std::move(request));
}

absl::StatusOr<v1::UpdateJobsResponse> PriorityClient::UpdateJobs(
    v1::UpdateJobsRequest request) const {
  return stubs_->Ask(&Priority::UpdateJobs, std::move(request));
}

absl::StatusOr<v1::TopJobsResponse> PriorityClient::TopJobs(v1::TopJobsRequest request) const {
  return stubs_->Ask(&Priority::TopJobs, std::move(request));
}

absl::StatusOr<v1::ListJobsResponse> PriorityClient::ListJobs(v1::ListJobsRequest request) const {
  return stubs_->Ask(&Priority::ListJobs, std::move(request));
}

absl::StatusOr<v1::ListJobsResponse> PriorityClient::ListAllJobs(
    v1::ListJobsRequest request) const {
  if (request.page_size() == 0) request.set_page_size(kPageSize);
  return AllPages(std::move(request), [this](const auto& page) { return ListJobs(page); });
}

}  // namespace priorityd::client
