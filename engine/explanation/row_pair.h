// Two rows of a queue that can be ordered again with different inputs.
#ifndef PRIORITYD_ENGINE_EXPLANATION_ROW_PAIR_H_
#define PRIORITYD_ENGINE_EXPLANATION_ROW_PAIR_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "engine/priority/jobs/job_table.h"
#include "engine/priority/ranking/scored_queue.h"

namespace priorityd::explanation {

// The inputs that can vary. By side: 0 = the row that comes first now, 1 = the later one.
struct PairInputs {
  absl::Duration waited;  // Since the queue's as_of; at least 0.
  std::array<int32_t, 2> nice;
  std::array<double, 2> fair_share;  // The fair-share factor of the association.
};

// Scores and orders the two rows with the functions that rank the queue. Accrue limits keep their
// effect from the queue. `queue` must outlive it. Thread-compatible: all methods are const.
class RowPair {
 public:
  // REQUIRES: both rows are ranked, are of different jobs, and `first` comes
  // before `later`.
  RowPair(const priority::ScoredQueue& queue, uint32_t first, uint32_t later);

  const priority::ScoredQueue& queue() const { return queue_; }
  // The current inputs.
  const PairInputs& inputs() const { return inputs_; }
  priority::AssociationIndex association(int side) const { return table_.association[side]; }
  // Whether the order is reversed: by the ordering rules, or because the first row can no longer
  // start (QOSUsageThreshold) and the later one can.
  bool Turned(const PairInputs& inputs) const;
  // Whether any value of F could reverse the order.
  bool FairShareCounts() const;
  uint32_t Priority(int side, const PairInputs& inputs) const;
  // The waits after which the row's age begins to count; after which it counts in full. Infinite =
  // never.
  absl::Duration AgeBegins(int side) const;
  absl::Duration AgeIsFull(int side) const;

 private:
  struct Scored {
    priority::JobTable table;
    absl::Time as_of;
    std::vector<uint32_t> priorities;
  };

  Scored Score(const PairInputs& inputs) const;
  bool BelowThreshold(int side, double fair_share) const;

  const priority::ScoredQueue& queue_;
  priority::JobTable table_;  // Of two jobs with one row each.
  PairInputs inputs_;
};

}  // namespace priorityd::explanation

#endif  // PRIORITYD_ENGINE_EXPLANATION_ROW_PAIR_H_
