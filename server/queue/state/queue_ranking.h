// The start order of the tracked queue.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_QUEUE_RANKING_H_
#define PRIORITYD_SERVER_QUEUE_STATE_QUEUE_RANKING_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "engine/priority/jobs/job.h"
#include "engine/priority/ranking/ranking.h"
#include "server/queue/state/queue_state.h"

namespace priorityd::queue {

// Rows point to `jobs`, the jobs in the answer; their texts are in `state`.
struct QueueRanking {
  std::shared_ptr<const QueueState> state;
  std::vector<priority::Job> jobs;
  priority::Ranking ranking;
  size_t running_total = 0;  // Without the limit.
  size_t rows_scored = 0;    // A measure of the effort.
};

// priorityd::priority::Rank for all jobs of the queue and the snapshot of `state`; ineligible and
// running jobs are ordered by job id. By the bounds of chunks and blocks, scores only jobs that
// could be among the first: a few rows for each row of a small limit. Scans the columns of other
// jobs only if a filter, limits that keep jobs back, or a list of ineligible or running jobs
// require it; reads texts only for the rows in the answer and for ties.
QueueRanking Rank(std::shared_ptr<const QueueState> state, const priority::RankOptions& options,
                  size_t running_limit);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_QUEUE_RANKING_H_
