// A play once more, with nothing kept from one start to the next.
#ifndef PRIORITYD_TESTS_ENGINE_LABORATORY_NAIVE_PLAY_H_
#define PRIORITYD_TESTS_ENGINE_LABORATORY_NAIVE_PLAY_H_

#include <vector>

#include "absl/types/span.h"
#include "engine/laboratory/history.h"
#include "engine/laboratory/simulation.h"

namespace priorityd::laboratory {

// The only sum of TRES that NaivePlay knows.
inline constexpr char kTresSumTried[] = "cpu=2,node=0.25";

// The only price book: an hour of a CPU costs 1, in the second hour of a day 2, under q1 0.5.
inline constexpr char kPriceTried[] = "price/p";

// What Play starts, and where. For each start the snapshot is computed, the whole queue is ranked
// by priority::Rank and planned by plan::PlanStarts; shares usage and nodes with Play. Grants: each
// alone in its owner and TRES, with a fixed window and neither Grace nor Borrow.
Played NaivePlay(const Site& site, absl::Span<const HistoryJob> jobs, const PlayOptions& options);

}  // namespace priorityd::laboratory

#endif  // PRIORITYD_TESTS_ENGINE_LABORATORY_NAIVE_PLAY_H_
