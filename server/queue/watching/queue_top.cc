#include "server/queue/watching/queue_top.h"

#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "engine/explanation/reason_text.h"
#include "engine/priority/limits/reason.h"
#include "engine/priority/ranking/ranking.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/queue/state/queue_ranking.h"

namespace priorityd::queue {
namespace {

TopRow ToTopRow(const priority::Snapshot& snapshot, const priority::Job& job, priority::JobRow& row,
                bool with_factors) {
  TopRow top;
  top.job_id = std::string(job.job_id);
  if (row.partition >= 0) {
    top.partition = snapshot.partitions()[row.partition].name;
    top.priority_tier = snapshot.partitions()[row.partition].priority_tier;
  }
  if (row.qos >= 0) top.qos = snapshot.qos()[row.qos].name;
  top.priority = row.priority;
  top.user = std::string(job.user);
  top.account = std::string(row.association == priority::kNoAssociation
                                ? job.account
                                : snapshot.tree().account(row.association));
  if (!with_factors) return top;
  top.factors = std::move(row.factors);
  top.contributions = std::move(row.contributions);
  return top;
}

// The options point to names in the view.
priority::RankOptions OptionsOf(const ViewSpec& spec, absl::Time as_of) {
  return {.as_of = as_of,
          .limit = spec.limit,
          .ineligible_limit = spec.ineligible ? spec.limit : 0,
          .best_only = spec.best_only,
          .with_factors = spec.with_factors,
          .partitions = {spec.partitions.begin(), spec.partitions.end()},
          .accounts = {spec.accounts.begin(), spec.accounts.end()},
          .users = {spec.users.begin(), spec.users.end()}};
}

// Ranks, and removes hidden rows; `others` counts those that keep their ranks.
QueueRanking RankFor(const ViewSpec& spec, const std::shared_ptr<const QueueState>& queue,
                     const priority::RankOptions& options, const JobFilter& shown, size_t* others) {
  if (shown == nullptr) return Rank(queue, options, /*running_limit=*/0);
  priority::RankOptions all = OptionsToTakeOutOf(options);
  if (spec.ineligible) all.ineligible_limit = std::numeric_limits<size_t>::max();
  QueueRanking answer = Rank(queue, all, /*running_limit=*/0);
  *others = TakeOutRanked(options, shown, answer.jobs, &answer.ranking);
  if (spec.ineligible) TakeOutIneligible(options, shown, answer.jobs, &answer.ranking);
  return answer;
}

// Builds the rows of the answer.
class Rows {
 public:
  Rows(const ViewSpec& spec, const priority::Snapshot& snapshot, const QueueRanking& answer,
       const JobFilter& shares)
      : spec_(spec), snapshot_(snapshot), jobs_(answer.jobs), shares_(shares) {}

  TopRow Ranked(priority::RankedRow& row) const {
    TopRow top = RowOf(row);
    top.rank = row.rank;
    top.best_of_job = row.best_of_job;
    return top;
  }

  WaitingJob Ineligible(priority::IneligibleRow& row) const {
    WaitingJob waiting{RowOf(row), {}, {}};
    waiting.reason = std::string(priority::ReasonName(snapshot_.limits(), row.why));
    if (ShowsShares(row)) {
      waiting.message = explanation::ReasonText(snapshot_, jobs_[row.job], row, row.why);
    }
    return waiting;
  }

 private:
  bool ShowsShares(const priority::JobRow& row) const {
    return shares_ == nullptr || shares_(jobs_[row.job]);
  }
  TopRow RowOf(priority::JobRow& row) const {
    return ToTopRow(snapshot_, jobs_[row.job], row, spec_.with_factors && ShowsShares(row));
  }

  const ViewSpec& spec_;
  const priority::Snapshot& snapshot_;
  const std::vector<priority::Job>& jobs_;
  const JobFilter& shares_;
};

}  // namespace

std::shared_ptr<RankingTop> TopOf(const ViewSpec& spec,
                                  const std::shared_ptr<const QueueState>& queue, absl::Time as_of,
                                  const Shown& shown) {
  const priority::RankOptions options = OptionsOf(spec, as_of);
  auto top = std::make_shared<RankingTop>();
  QueueRanking answer = RankFor(spec, queue, options, shown.jobs, &top->others);
  priority::Ranking& ranking = answer.ranking;
  const priority::Snapshot& snapshot = queue->snapshot();
  top->cluster = snapshot.cluster().name;
  top->generation = snapshot.generation();
  top->computed_at = snapshot.computed_at();
  top->policy_version = snapshot.policy_version();
  top->as_of = as_of;
  for (const auto& [name, weight] : snapshot.policy().weight_tres) top->tres.push_back(name);
  const Rows rows(spec, snapshot, answer, shown.shares);
  top->rows.reserve(ranking.ranked.size());
  for (priority::RankedRow& row : ranking.ranked) top->rows.push_back(rows.Ranked(row));
  top->ineligible.reserve(ranking.ineligible.size());
  for (priority::IneligibleRow& row : ranking.ineligible) {
    top->ineligible.push_back(rows.Ineligible(row));
  }
  top->ranked_total = ranking.ranked_total;
  if (spec.ineligible) top->ineligible_total = ranking.ineligible_total;
  top->source = queue;
  return top;
}

std::shared_ptr<const RankingTop> TopSince(const std::shared_ptr<const RankingTop>& before,
                                           const ViewSpec& spec,
                                           const std::shared_ptr<const QueueState>& queue,
                                           absl::Time as_of) {
  if (before != nullptr && before->as_of == as_of && before->source.lock() == queue) return before;
  return TopOf(spec, queue, as_of);
}

}  // namespace priorityd::queue
