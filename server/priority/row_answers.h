// From the rows of a scored queue to a Ranking.
#ifndef PRIORITYD_SERVER_PRIORITY_ROW_ANSWERS_H_
#define PRIORITYD_SERVER_PRIORITY_ROW_ANSWERS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "server/priority/ranking.h"
#include "server/priority/scored_queue.h"

namespace priorityd::priority {

// Adds rows to a Ranking one by one. Everything given must outlive it.
class RowAnswers {
 public:
  // `wanted`, by row, leaves out rows with 0; empty = all are wanted.
  RowAnswers(const ScoredQueue& queue, const RankOptions& options, absl::Span<const uint8_t> wanted,
             Ranking* ranking);

  // The next row of the start order.
  void AddRanked(uint32_t row, bool best_of_job);
  // A job that runs, or that cannot start in any of its pairs; not if none of its
  // rows is wanted. `wanted_unresolved`: the same of a job without rows.
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

#endif  // PRIORITYD_SERVER_PRIORITY_ROW_ANSWERS_H_
