// The top of a tracked queue's start order.
#ifndef PRIORITYD_SERVER_QUEUE_WATCHING_QUEUE_TOP_H_
#define PRIORITYD_SERVER_QUEUE_WATCHING_QUEUE_TOP_H_

#include <memory>

#include "absl/time/time.h"
#include "server/queue/state/queue_state.h"
#include "server/queue/state/shown_ranking.h"
#include "server/queue/watching/ranking_top.h"
#include "server/queue/watching/ranking_view.h"

namespace priorityd::queue {

// The parts of a queue that are shown; null = all.
struct Shown {
  JobFilter jobs;
  JobFilter shares;  // The jobs whose factors are shown.
};

// Ranks `queue` for `as_of` by `spec`, without forecasts.
std::shared_ptr<RankingTop> TopOf(const ViewSpec& spec,
                                  const std::shared_ptr<const QueueState>& queue, absl::Time as_of,
                                  const Shown& shown = {});

// The same; `before` itself if it was taken from the same queue for the same time. `before`: null =
// none.
std::shared_ptr<const RankingTop> TopSince(const std::shared_ptr<const RankingTop>& before,
                                           const ViewSpec& spec,
                                           const std::shared_ptr<const QueueState>& queue,
                                           absl::Time as_of);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_WATCHING_QUEUE_TOP_H_
