#include "server/api/ranking/convert_watch.h"

#include <google/protobuf/arena.h>

#include <algorithm>
#include <vector>

#include "server/api/forecasts/start_interval.h"
#include "server/api/shared/convert_ranking.h"
#include "server/messages/convert_time.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

constexpr uint32_t kDefaultLimit = 100;
// As often as forecasts learn by default.
constexpr absl::Duration kBetweenForecasts = absl::Seconds(5);

std::vector<std::string> Names(const google::protobuf::RepeatedPtrField<std::string>& texts) {
  std::vector<std::string> names(texts.begin(), texts.end());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// The common fields of ranked and ineligible jobs.
template <typename Job>
void WriteJob(const queue::RankingTop& top, const queue::TopRow& row, Job* proto) {
  proto->set_job_id(row.job_id);
  proto->set_partition(row.partition);
  proto->set_qos(row.qos);
  if (row.priority.has_value()) proto->set_priority(*row.priority);
  proto->set_user(row.user);
  proto->set_account(row.account);
  if (row.factors != nullptr) ToProto(top.tres, *row.factors, proto->mutable_factors());
  if (row.contributions != nullptr) {
    ToProto(top.tres, *row.contributions, proto->mutable_contributions());
  }
}

void WriteRow(const queue::RankingTop& top, const queue::TopRow& row, v1::RankedJob* proto) {
  WriteJob(top, row, proto);
  proto->set_rank(row.rank);
  proto->set_best_of_job(row.best_of_job);
  proto->set_priority_tier(row.priority_tier);
  if (row.start.has_value()) ToProto(*row.start, top.as_of, proto->mutable_start_interval());
}

void WriteIneligible(const queue::RankingTop& top, const queue::WaitingJob& job,
                     v1::IneligibleJob* proto) {
  WriteJob(top, job.row, proto);
  proto->set_reason(job.reason);
  proto->set_message(job.message);
}

}  // namespace

queue::ViewSpec ToViewSpec(const v1::WatchRankingRequest& request, const std::string& cluster) {
  queue::ViewSpec spec;
  spec.cluster = cluster;
  spec.limit = request.limit() == 0 ? kDefaultLimit : request.limit();
  spec.best_only = request.best_only();
  spec.with_factors = request.view() == v1::RANK_VIEW_FULL;
  spec.ineligible = request.ineligible();
  spec.with_forecasts = request.with_forecasts();
  spec.partitions = Names(request.partitions());
  spec.accounts = Names(request.accounts());
  spec.users = Names(request.users());
  if (request.has_age_interval()) spec.age_interval = ToDuration(request.age_interval());
  spec.min_interval = ToDuration(request.min_interval());
  if (spec.with_forecasts) spec.min_interval = std::max(spec.min_interval, kBetweenForecasts);
  return spec;
}

std::string WatchEncoder::State(const queue::RankingTop& top) const {
  google::protobuf::Arena arena;
  auto* response = google::protobuf::Arena::CreateMessage<v1::WatchRankingResponse>(&arena);
  auto* ranked = response->mutable_state()->mutable_ranked();
  ranked->Reserve(static_cast<int>(top.rows.size()));
  for (const queue::TopRow& row : top.rows) WriteRow(top, row, ranked->Add());
  for (const queue::WaitingJob& job : top.ineligible) {
    WriteIneligible(top, job, response->mutable_state()->add_ineligible());
  }
  return Finish(top, response);
}

std::string WatchEncoder::Delta(const queue::RankingTop& before, const queue::RankingTop& after,
                                const queue::TopDelta& delta) const {
  google::protobuf::Arena arena;
  auto* response = google::protobuf::Arena::CreateMessage<v1::WatchRankingResponse>(&arena);
  v1::RankingDelta* proto = response->mutable_delta();
  for (const uint32_t i : delta.entered) WriteRow(after, after.rows[i], proto->add_entered());
  for (const uint32_t i : delta.left) {
    const queue::TopRow& row = before.rows[i];
    v1::RankedRow* left = proto->add_left();
    left->set_job_id(row.job_id);
    left->set_partition(row.partition);
    left->set_qos(row.qos);
  }
  for (const queue::TopDelta::Changed& change : delta.changed) {
    const queue::TopRow& row = before.rows[change.before];
    v1::RankChange* changed = proto->add_changed();
    WriteRow(after, after.rows[change.after], changed->mutable_row());
    changed->set_previous_rank(row.rank);
    if (row.priority.has_value()) changed->set_previous_priority(*row.priority);
  }
  for (const uint32_t i : delta.ineligible) {
    WriteIneligible(after, after.ineligible[i], proto->add_ineligible());
  }
  for (const uint32_t i : delta.eligible) {
    proto->add_no_longer_ineligible(before.ineligible[i].row.job_id);
  }
  return Finish(after, response);
}

std::string WatchEncoder::Finish(const queue::RankingTop& top,
                                 v1::WatchRankingResponse* response) const {
  v1::Snapshot* snapshot = response->mutable_snapshot();
  snapshot->set_cluster(top.cluster);
  snapshot->set_generation(top.generation);
  ToProto(top.computed_at, snapshot->mutable_computed_at());
  snapshot->set_policy_version(top.policy_version);
  set_staleness_(snapshot);
  ToProto(top.as_of, response->mutable_as_of());
  response->set_ranked_total(static_cast<uint32_t>(top.ranked_total));
  response->set_others(static_cast<uint32_t>(top.others));
  response->set_ineligible_total(static_cast<uint32_t>(top.ineligible_total));
  return response->SerializeAsString();
}

}  // namespace priorityd::rpc
