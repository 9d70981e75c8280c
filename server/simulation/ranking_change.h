// One queue ranked twice: who moves.
#ifndef PRIORITYD_SERVER_SIMULATION_RANKING_CHANGE_H_
#define PRIORITYD_SERVER_SIMULATION_RANKING_CHANGE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "server/priority/ranking.h"
#include "server/priority/snapshot.h"

namespace priorityd::simulation {

// A ranking with what its rows refer to; all of it must outlive this.
struct RankedQueue {
  const priority::Snapshot& snapshot;
  absl::Span<const priority::Job> jobs;
  const priority::Ranking& ranking;  // Without limits.
};

// Where a row stands in one of the rankings.
struct RowPlace {
  const priority::JobRow* row = nullptr;  // Null = the row is not there.
  uint32_t rank = 0;                      // From 1; 0 = it cannot start.
  absl::string_view reason;               // Slurm's word where it cannot start; else empty.
};

enum class Move { kNone, kUp, kDown };

// A pair of a job before and after. A job that cannot start has one row; it is put
// beside the row of the same pair on the other side, else beside the job's first.
struct RowChange {
  RowPlace before;
  RowPlace after;

  // Up: earlier in the start order, or able to start where it was not before.
  Move move() const;
  bool reason_changed() const { return before.reason != after.reason; }
};

// Every row of either ranking: in the start order of `after`, then those that cannot
// start in it, by job id. Jobs are the same if both lists are one, else if they have
// the same id, which must differ within a list. `by_job`: rows of a job are the same
// whatever its pair, of which each ranking has one at most.
std::vector<RowChange> CompareRankings(const RankedQueue& before, const RankedQueue& after,
                                       bool by_job);

}  // namespace priorityd::simulation

#endif  // PRIORITYD_SERVER_SIMULATION_RANKING_CHANGE_H_
