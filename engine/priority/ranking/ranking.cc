#include "engine/priority/ranking/ranking.h"

#include <vector>

#include "engine/priority/ranking/row_answers.h"
#include "engine/priority/ranking/row_filter.h"
#include "engine/priority/ranking/scored_queue.h"
#include "engine/priority/ranking/start_order.h"

namespace priorityd::priority {

Ranking Rank(const Snapshot& snapshot, absl::Span<const Job> jobs, const RankOptions& options) {
  const ScoredQueue queue(snapshot, jobs, options.as_of);
  const JobTable& table = queue.table();
  RowFilter filter(snapshot, options);
  const std::vector<uint8_t> wanted = filter.Wanted(table);
  const StartOrder order(snapshot, table, queue.priorities(), options.as_of, wanted);
  Ranking ranking;
  RowAnswers answers(queue, options, wanted, &ranking);
  const auto rows = order.Top(options.limit, options.best_only, &ranking.ranked_total);
  ranking.ranked.reserve(rows.size());
  for (const uint32_t row : rows) answers.AddRanked(row, order.BestOfJob(row));
  for (uint32_t job = 0; job < jobs.size(); ++job) {
    if (!queue.Started(job) && queue.Startable(job)) continue;
    answers.AddUnranked(job, filter.PassesUnresolved(jobs[job], table.association[job]));
  }
  return ranking;
}

}  // namespace priorityd::priority
