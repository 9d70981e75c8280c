// The calls of PriorityClient about forecasts of starts.
#include <string>
#include <utility>

#include "client/priority_client.h"
#include "client/stubs.h"

namespace priorityd::client {
namespace {

// The most job_ids of one ForecastStarts.
constexpr int kForecastIds = 10'000;

}  // namespace

absl::StatusOr<v1::ForecastStartsResponse> PriorityClient::ForecastStarts(
    v1::ForecastStartsRequest request) const {
  return stubs_->Ask(&Priority::ForecastStarts, std::move(request));
}

absl::StatusOr<v1::ForecastStartsResponse> PriorityClient::ForecastAllStarts(
    v1::ForecastStartsRequest request) const {
  google::protobuf::RepeatedPtrField<std::string> ids;
  ids.Swap(request.mutable_job_ids());
  v1::ForecastStartsResponse all;
  int sent = 0;
  do {
    v1::ForecastStartsRequest part = request;
    for (int i = 0; i < kForecastIds && sent < ids.size(); ++i) {
      part.add_job_ids(std::move(ids[sent++]));
    }
    if (sent < ids.size()) part.clear_jobs();  // Their forecasts come last.
    const auto answer = ForecastStarts(std::move(part));
    if (!answer.ok()) return answer.status();
    all.clear_score();
    all.clear_as_of();
    all.MergeFrom(*answer);
  } while (sent < ids.size());
  return all;
}

absl::StatusOr<v1::ScoreForecastsResponse> PriorityClient::ScoreForecasts(
    v1::ScoreForecastsRequest request) const {
  return stubs_->Ask(&Priority::ScoreForecasts, std::move(request));
}

}  // namespace priorityd::client
