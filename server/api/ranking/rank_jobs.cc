#include "server/api/ranking/rank_jobs.h"

#include <cstdint>

#include "engine/priority/ranking/ranking.h"
#include "server/api/shared/convert_job.h"
#include "server/api/shared/convert_ranking.h"
#include "server/messages/convert_time.h"
#include "server/queue/state/shown_ranking.h"
#include "server/transport/viewer.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

// The options point to names in the request.
priority::RankOptions OptionsOf(const v1::RankJobsRequest& request, absl::Time as_of) {
  priority::RankOptions options{
      .as_of = as_of,
      .best_only = request.best_only(),
      .with_factors = request.view() == v1::RANK_VIEW_FULL,
      .partitions = {request.partitions().begin(), request.partitions().end()},
      .accounts = {request.accounts().begin(), request.accounts().end()},
      .users = {request.users().begin(), request.users().end()}};
  if (request.limit() > 0) options.limit = request.limit();
  if (request.has_ineligible_limit()) options.ineligible_limit = request.ineligible_limit();
  return options;
}

size_t RunningLimit(const v1::RankJobsRequest& request) {
  return request.has_running_limit() ? request.running_limit() : SIZE_MAX;
}

}  // namespace

absl::Status RankInline(const Caller& caller, const priority::Snapshot& snapshot, absl::Time as_of,
                        const v1::RankJobsRequest& request, v1::RankJobsResponse* response) {
  const InlineQueue queue(request.jobs().jobs());
  absl::Status may = CheckInlineJobs(caller, snapshot, queue.jobs());
  if (!may.ok()) return may;
  const priority::RankOptions options = OptionsOf(request, as_of);
  priority::Ranking ranking = priorityd::priority::Rank(snapshot, queue.jobs(), options);
  const size_t running_total = ranking.running.size();
  if (RunningLimit(request) < running_total) {
    ranking.running.erase(ranking.running.begin() + request.running_limit(), ranking.running.end());
  }
  ToProto(snapshot, queue.jobs(), ranking, request.view(), caller.sees(), response);
  response->set_running_total(static_cast<uint32_t>(running_total));
  ToProto(as_of, response->mutable_as_of());
  return absl::OkStatus();
}

void RankTracked(const Caller& caller, std::shared_ptr<const queue::QueueState> state,
                 absl::Time as_of, const v1::RankJobsRequest& request,
                 v1::RankJobsResponse* response) {
  const priority::RankOptions options = OptionsOf(request, as_of);
  const priority::Snapshot& snapshot = state->snapshot();
  queue::RowsTakenOut others;
  const queue::QueueRanking answer = queue::RankShown(state, options, RunningLimit(request),
                                                      ShownJobs(caller.sees(), snapshot), &others);
  ToProto(snapshot, answer.jobs, answer.ranking, request.view(), caller.sees(), response);
  response->set_running_total(static_cast<uint32_t>(answer.running_total));
  response->set_ranked_others(static_cast<uint32_t>(others.ranked));
  response->set_ineligible_others(static_cast<uint32_t>(others.ineligible));
  response->set_running_others(static_cast<uint32_t>(others.running));
  ToProto(as_of, response->mutable_as_of());
}

}  // namespace priorityd::rpc
