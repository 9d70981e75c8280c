// The start order of the tracked queue for a caller who may not see every job.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_SHOWN_RANKING_H_
#define PRIORITYD_SERVER_QUEUE_STATE_SHOWN_RANKING_H_

#include <cstddef>
#include <functional>
#include <memory>

#include "absl/types/span.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/ranking/ranking.h"
#include "server/queue/state/queue_ranking.h"

namespace priorityd::queue {

// Whether the caller sees a job. Null = every job.
using JobFilter = std::function<bool(const priority::Job&)>;

// The number of rows removed from a QueueRanking.
struct RowsTakenOut {
  size_t ranked = 0;
  size_t ineligible = 0;
  size_t running = 0;
};

// Whether hidden jobs keep their ranks: not with a filter of users or accounts, where gaps would
// reveal how many jobs those have.
bool KeepPlaces(const priority::RankOptions& options);

// queue::Rank without the rows of hidden jobs. If these keep their ranks, the other ranks have
// gaps, `limit` counts ranks, and totals include hidden rows; the other limits count shown rows.
// Otherwise the answer is as if only the shown jobs existed.
QueueRanking RankShown(std::shared_ptr<const QueueState> state,
                       const priority::RankOptions& options, size_t running_limit,
                       const JobFilter& shown, RowsTakenOut* taken_out);

// The same for ranked rows only: removes hidden rows from the answer of Rank for
// OptionsToTakeOutOf, and returns how many keep their ranks.
priority::RankOptions OptionsToTakeOutOf(const priority::RankOptions& options);
size_t TakeOutRanked(const priority::RankOptions& options, const JobFilter& shown,
                     absl::Span<const priority::Job> jobs, priority::Ranking* ranking);
// The same for ineligible rows, from an answer of Rank without ineligible_limit.
size_t TakeOutIneligible(const priority::RankOptions& options, const JobFilter& shown,
                         absl::Span<const priority::Job> jobs, priority::Ranking* ranking);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_SHOWN_RANKING_H_
