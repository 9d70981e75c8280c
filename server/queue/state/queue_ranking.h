// The start order of the tracked queue.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_QUEUE_RANKING_H_
#define PRIORITYD_SERVER_QUEUE_STATE_QUEUE_RANKING_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "server/priority/job.h"
#include "server/priority/ranking.h"
#include "server/queue/state/queue_state.h"

namespace priorityd::queue {

// Rows point to `jobs`: those that the answer is about, whose texts are in
// `state`.
struct QueueRanking {
  std::shared_ptr<const QueueState> state;
  std::vector<priority::Job> jobs;
  priority::Ranking ranking;
  size_t running_total = 0;  // Without the limit.
  size_t rows_scored = 0;    // What it took.
};

// What priorityd::priority::Rank says of all jobs of the queue, for the present snapshot of
// `state`; ineligible and running jobs are ordered by job id. Scores no more jobs than
// could be among the first, by the bounds of their chunks and blocks: a few rows for each of
// a small limit. Goes over the columns of the others only where a filter, a limit that
// keeps some back, or ineligible or running jobs to be listed ask for it; looks at
// texts only for the rows it answers and for ties.
QueueRanking Rank(std::shared_ptr<const QueueState> state, const priority::RankOptions& options,
                  size_t running_limit);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_QUEUE_RANKING_H_
