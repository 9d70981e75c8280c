// How far each factor goes.
#ifndef PRIORITYD_SERVER_EXPLANATION_FACTOR_RANGE_H_
#define PRIORITYD_SERVER_EXPLANATION_FACTOR_RANGE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/priority/job.h"
#include "server/priority/snapshot.h"

namespace priorityd::explanation {

struct FactorRange {
  std::string name;  // age, assoc, ..., tres/<name>, site, nice.
  double weight = 0;
  double lowest_factor = 0;
  double highest_factor = 0;
  double lowest_contribution = 0;
  double highest_contribution = 0;
  // The factors whose largest difference is smaller, though not 0.
  std::vector<std::string> overturns;

  // The largest difference that it can make.
  double range() const { return highest_contribution - lowest_contribution; }
};

// In the order of Slurm's formula.
struct FactorRanges {
  std::vector<FactorRange> ranges;
  size_t rows = 0;  // What they were taken from; 0 = they are those possible.
};

// Over the rows of the queue that can start at `as_of` and whose priority no
// administrator has set. Without any the ranges are those possible; see
// PossibleRanges. Empty under priority/basic.
FactorRanges RangesOnQueue(const priority::Snapshot& snapshot, absl::Span<const priority::Job> jobs,
                           absl::Time as_of);

// What the policy, the partitions, the QOS and the associations allow: assoc and
// fair-share as the users have them now, TRES up to the largest total there is.
// Without site and nice, which jobs bring along.
std::vector<FactorRange> PossibleRanges(const priority::Snapshot& snapshot);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_SERVER_EXPLANATION_FACTOR_RANGE_H_
