// Compares two rankings of one queue.
#ifndef PRIORITYD_SERVER_SIMULATION_RANKING_CHANGE_H_
#define PRIORITYD_SERVER_SIMULATION_RANKING_CHANGE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "engine/priority/ranking/ranking.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::simulation {

// A ranking with the objects to which its rows point; all must outlive this.
struct RankedQueue {
  const priority::Snapshot& snapshot;
  absl::Span<const priority::Job> jobs;
  const priority::Ranking& ranking;  // Without limits.
};

// The place of a row in one of the rankings.
struct RowPlace {
  const priority::JobRow* row = nullptr;  // Null = the row is missing.
  uint32_t rank = 0;                      // From 1; 0 = the job cannot start.
  absl::string_view reason;               // Slurm's reason if it cannot start; otherwise empty.
};

enum class Move { kNone, kUp, kDown };

// A pair of a job before and after. A job that cannot start has one row, which is matched with the
// row of the same pair on the other side, or else with the job's first row.
struct RowChange {
  RowPlace before;
  RowPlace after;

  // Up: earlier in the start order, or newly able to start.
  Move move() const;
  bool reason_changed() const { return before.reason != after.reason; }
};

// Every row of either ranking: in the start order of `after`, then those that cannot start in it,
// by job id. If both rankings have the same list of jobs, jobs are matched by index; otherwise by
// id, which must be unique within a list. `by_job`: matches rows of a job regardless of the pair;
// each ranking then has at most one row per job.
std::vector<RowChange> CompareRankings(const RankedQueue& before, const RankedQueue& after,
                                       bool by_job);

}  // namespace priorityd::simulation

#endif  // PRIORITYD_SERVER_SIMULATION_RANKING_CHANGE_H_
