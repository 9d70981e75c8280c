#include "server/queue/watching/queue_top.h"

#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "server/priority/ranking.h"
#include "server/priority/snapshot.h"
#include "server/queue/state/queue_ranking.h"

namespace priorityd::queue {
namespace {

std::vector<absl::string_view> Views(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

TopRow ToTopRow(const priority::Snapshot& snapshot, const priority::Job& job,
                priority::RankedRow& row, bool with_factors) {
  TopRow top;
  top.job_id = std::string(job.job_id);
  if (row.partition >= 0) {
    top.partition = snapshot.partitions()[row.partition].name;
    top.priority_tier = snapshot.partitions()[row.partition].priority_tier;
  }
  if (row.qos >= 0) top.qos = snapshot.qos()[row.qos].name;
  top.rank = row.rank;
  top.priority = row.priority;
  top.best_of_job = row.best_of_job;
  top.user = std::string(job.user);
  top.account = std::string(snapshot.tree().account(row.association));
  if (!with_factors) return top;
  top.factors = std::move(row.factors);
  top.contributions = std::move(row.contributions);
  return top;
}

}  // namespace

std::shared_ptr<const RankingTop> TopOf(const ViewSpec& spec,
                                        const std::shared_ptr<const QueueState>& queue,
                                        absl::Time as_of,
                                        const std::shared_ptr<const RankingTop>& before,
                                        const Shown& shown) {
  if (before != nullptr && before->as_of == as_of && before->source.lock() == queue) return before;
  const std::vector<absl::string_view> partitions = Views(spec.partitions);
  const std::vector<absl::string_view> accounts = Views(spec.accounts);
  const std::vector<absl::string_view> users = Views(spec.users);
  const priority::RankOptions options = {.as_of = as_of,
                                         .limit = spec.limit,
                                         .ineligible_limit = 0,
                                         .best_only = spec.best_only,
                                         .with_factors = spec.with_factors,
                                         .partitions = partitions,
                                         .accounts = accounts,
                                         .users = users};
  const bool all = shown.jobs == nullptr;
  QueueRanking answer = Rank(queue, all ? options : OptionsToTakeOutOf(options),
                             /*running_limit=*/0);
  const size_t others = all ? 0 : TakeOutRanked(options, shown.jobs, answer.jobs, &answer.ranking);
  const priority::Snapshot& snapshot = queue->snapshot();
  auto top = std::make_shared<RankingTop>();
  top->cluster = snapshot.cluster().name;
  top->generation = snapshot.generation();
  top->computed_at = snapshot.computed_at();
  top->policy_version = snapshot.policy_version();
  top->as_of = as_of;
  for (const auto& [name, weight] : snapshot.policy().weight_tres) top->tres.push_back(name);
  top->rows.reserve(answer.ranking.ranked.size());
  for (priority::RankedRow& row : answer.ranking.ranked) {
    const priority::Job& job = answer.jobs[row.job];
    if (shown.shares != nullptr && !shown.shares(job)) {
      row.factors = nullptr;
      row.contributions = nullptr;
    }
    top->rows.push_back(ToTopRow(snapshot, job, row, spec.with_factors));
  }
  top->ranked_total = answer.ranking.ranked_total;
  top->others = others;
  top->source = queue;
  return top;
}

}  // namespace priorityd::queue
