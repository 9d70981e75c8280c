// The start order of the tracked queue for one who is not shown every job.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_SHOWN_RANKING_H_
#define PRIORITYD_SERVER_QUEUE_STATE_SHOWN_RANKING_H_

#include <cstddef>
#include <functional>
#include <memory>

#include "absl/types/span.h"
#include "server/priority/job.h"
#include "server/priority/ranking.h"
#include "server/queue/state/queue_ranking.h"

namespace priorityd::queue {

// Whether a job is shown. Null = every job is.
using JobFilter = std::function<bool(const priority::Job&)>;

// How many rows were taken out of a QueueRanking.
struct RowsTakenOut {
  size_t ranked = 0;
  size_t ineligible = 0;
  size_t running = 0;
};

// Whether jobs that are not shown keep their places: unless users or accounts are asked for, which
// would tell how many jobs those have.
bool KeepPlaces(const priority::RankOptions& options);

// What queue::Rank says, without the rows of jobs that are not shown. Where they keep their places
// the ranks of others have gaps, `limit` counts places, and totals count all; the other limits are
// of rows shown. Elsewhere all is as if there were no jobs but those shown.
QueueRanking RankShown(std::shared_ptr<const QueueState> state,
                       const priority::RankOptions& options, size_t running_limit,
                       const JobFilter& shown, RowsTakenOut* taken_out);

// The same of ranked rows alone: takes them out of what Rank answered for OptionsToTakeOutOf, and
// returns how many keep their places.
priority::RankOptions OptionsToTakeOutOf(const priority::RankOptions& options);
size_t TakeOutRanked(const priority::RankOptions& options, const JobFilter& shown,
                     absl::Span<const priority::Job> jobs, priority::Ranking* ranking);
// Likewise of ineligible ones, of what Rank answered without an ineligible_limit.
size_t TakeOutIneligible(const priority::RankOptions& options, const JobFilter& shown,
                         absl::Span<const priority::Job> jobs, priority::Ranking* ranking);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_SHOWN_RANKING_H_
