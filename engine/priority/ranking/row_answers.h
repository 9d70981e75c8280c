// Converts the rows of a scored queue to a Ranking.
#ifndef PRIORITYD_ENGINE_PRIORITY_RANKING_ROW_ANSWERS_H_
#define PRIORITYD_ENGINE_PRIORITY_RANKING_ROW_ANSWERS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "engine/priority/ranking/ranking.h"
#include "engine/priority/ranking/scored_queue.h"

namespace priorityd::priority {

// Adds rows to a Ranking one by one. All arguments must outlive it.
class RowAnswers {
 public:
  // `wanted`, by row: rows with 0 are left out; empty = no row is left out.
  RowAnswers(const ScoredQueue& queue, const RankOptions& options, absl::Span<const uint8_t> wanted,
             Ranking* ranking);

  // Adds the next row of the start order.
  void AddRanked(uint32_t row, bool best_of_job);
  // Adds a job that runs, or that cannot start in any of its pairs, unless all its rows are left
  // out. `wanted_unresolved`: whether to add the job if it has no rows.
  void AddUnranked(uint32_t job, bool wanted_unresolved);

 private:
  int ShownRow(uint32_t job, bool running) const;
  void AddRunning(uint32_t job, int row);
  void AddIneligible(uint32_t job, int row);

  const ScoredQueue& queue_;
  const RankOptions& options_;
  const absl::Span<const uint8_t> wanted_;
  Ranking* const ranking_;
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_RANKING_ROW_ANSWERS_H_
