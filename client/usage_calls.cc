// The calls of PriorityClient about usage and shares.
#include <utility>

#include "absl/time/clock.h"
#include "client/list_pages.h"
#include "client/priority_client.h"
#include "client/rpc_error.h"
#include "client/stubs.h"

namespace priorityd::client {

std::unique_ptr<grpc::ClientAsyncReaderWriter<v1::StreamUsageRequest, v1::StreamUsageResponse>>
PriorityClient::PrepareStreamUsage(grpc::ClientContext* context,
                                   grpc::CompletionQueue* queue) const {
  // Without a proof the service's error names the proof that it needs.
  stubs_->Prove(context).IgnoreError();
  AddCluster(options_.cluster, context);
  return stubs_->Live<Priority>().PrepareAsyncStreamUsage(context, queue);
}

absl::StatusOr<v1::RecordUsageResponse> PriorityClient::RecordUsage(
    v1::RecordUsageRequest request) const {
  return stubs_->Ask(&Priority::RecordUsage, std::move(request));
}

absl::StatusOr<v1::ListSharesResponse> PriorityClient::ListShares(
    v1::ListSharesRequest request) const {
  return stubs_->Ask(&Priority::ListShares, std::move(request));
}

absl::StatusOr<v1::ListSharesResponse> PriorityClient::ListAllShares(
    v1::ListSharesRequest request) const {
  if (request.page_size() == 0) request.set_page_size(kRowsPageSize);
  return AllPagesOfOne(request, [this](const auto& page) { return ListShares(page); });
}

absl::StatusOr<v1::ReportUsageResponse> PriorityClient::ReportUsage(
    v1::ReportUsageRequest request) const {
  return stubs_->Ask(&Priority::ReportUsage, std::move(request));
}

absl::StatusOr<v1::ReportUsageResponse> PriorityClient::ReportAllUsage(
    v1::ReportUsageRequest request) const {
  if (request.page_size() == 0) request.set_page_size(kRowsPageSize);
  return AllPages(std::move(request), [this](const auto& page) { return ReportUsage(page); });
}

absl::StatusOr<v1::ListUsageRecordsResponse> PriorityClient::ListAllUsageRecords(
    v1::ListUsageRecordsRequest request, int64_t most) const {
  v1::ListUsageRecordsResponse all;
  request.set_page_size(kRowsPageSize);
  request.clear_page_token();
  do {
    auto page = stubs_->Ask(&Priority::ListUsageRecords, request);
    if (!page.ok()) return page.status();
    request.set_page_token(page->next_page_token());
    all.MergeFrom(*page);
  } while (!request.page_token().empty() && all.records_size() <= most);
  all.clear_next_page_token();
  return all;
}

absl::StatusOr<v1::ListShareHistoryResponse> PriorityClient::ListWholeShareHistory(
    v1::ListShareHistoryRequest request) const {
  return AllPages(std::move(request), [this](const auto& page) {
    return stubs_->Ask(&Priority::ListShareHistory, page);
  });
}

absl::StatusOr<v1::ListQosUsageResponse> PriorityClient::ListQosUsage(
    v1::ListQosUsageRequest request) const {
  return stubs_->Ask(&Priority::ListQosUsage, std::move(request));
}

absl::StatusOr<v1::ListBudgetsResponse> PriorityClient::ListAllBudgets(
    v1::ListBudgetsRequest request) const {
  if (request.page_size() == 0) request.set_page_size(kRowsPageSize);
  return AllPagesOfOne(request, [this](const v1::ListBudgetsRequest& page) {
    return stubs_->Ask(&Priority::ListBudgets, page);
  });
}

absl::StatusOr<v1::ListBudgetEventsResponse> PriorityClient::ListBudgetEvents(
    v1::ListBudgetEventsRequest request) const {
  return stubs_->Ask(&Priority::ListBudgetEvents, std::move(request));
}

absl::StatusOr<v1::EstimateJobCostResponse> PriorityClient::EstimateJobCost(
    v1::EstimateJobCostRequest request) const {
  return stubs_->Ask(&Priority::EstimateJobCost, std::move(request));
}

absl::StatusOr<v1::Caller> PriorityClient::GetCaller(v1::GetCallerRequest request) const {
  return stubs_->Ask(&Priority::GetCaller, std::move(request));
}

absl::StatusOr<v1::ResetUsageResponse> PriorityClient::ResetUsage(
    v1::ResetUsageRequest request) const {
  return stubs_->Do(&Admin::ResetUsage, std::move(request));
}

absl::StatusOr<v1::ListUsageSourcesResponse> PriorityClient::ListAllUsageSources(
    v1::ListUsageSourcesRequest request) const {
  request.set_page_size(kPageSize);
  return AllPages(std::move(request),
                  [this](const auto& page) { return stubs_->Ask(&Admin::ListUsageSources, page); });
}

absl::StatusOr<v1::VoidUsageResponse> PriorityClient::VoidUsage(
    v1::VoidUsageRequest request) const {
  return stubs_->Do(&Admin::VoidUsage, std::move(request));
}

absl::StatusOr<v1::VoidUsageResponse> PriorityClient::RestoreUsage(
    v1::RestoreUsageRequest request) const {
  return stubs_->Do(&Admin::RestoreUsage, std::move(request));
}

absl::StatusOr<v1::RebuildUsageResponse> PriorityClient::RebuildUsage(
    v1::RebuildUsageRequest request,
    absl::FunctionRef<void(const v1::RebuildUsageResponse&)> progress) const {
  stubs_->FillCluster(&request);
  grpc::ClientContext context;
  const absl::Time deadline = absl::Now() + options_.deadline;
  if (deadline < absl::InfiniteFuture()) context.set_deadline(absl::ToChronoTime(deadline));
  if (absl::Status s = stubs_->Prove(&context); !s.ok()) return s;
  AddCluster(stubs_->ClusterOf(request), &context);
  auto reader = stubs_->Live<Admin>().RebuildUsage(&context, request);
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
