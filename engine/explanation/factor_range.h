// The range of each factor: how much it can change the priority.
#ifndef PRIORITYD_ENGINE_EXPLANATION_FACTOR_RANGE_H_
#define PRIORITYD_ENGINE_EXPLANATION_FACTOR_RANGE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::explanation {

struct FactorRange {
  std::string name;  // age, assoc, ..., tres/<name>, site, nice.
  double weight = 0;
  double lowest_factor = 0;
  double highest_factor = 0;
  double lowest_contribution = 0;
  double highest_contribution = 0;
  // The factors with a smaller range other than 0.
  std::vector<std::string> overturns;

  // The largest difference in points that the factor can make.
  double range() const { return highest_contribution - lowest_contribution; }
};

// In the order of Slurm's formula.
struct FactorRanges {
  std::vector<FactorRange> ranges;
  size_t rows = 0;  // The rows from which they were computed; 0 = see PossibleRanges.
};

// The ranges over the rows of the queue that can start at `as_of` and whose priority no
// administrator has set. Without such rows, those of PossibleRanges. Empty under priority/basic.
FactorRanges RangesOnQueue(const priority::Snapshot& snapshot, absl::Span<const priority::Job> jobs,
                           absl::Time as_of);

// The ranges that policy, partitions, QOS and associations allow: assoc and fair-share have the
// current values of the users, TRES go up to the largest total. Without site and nice, which depend
// on jobs.
std::vector<FactorRange> PossibleRanges(const priority::Snapshot& snapshot);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_ENGINE_EXPLANATION_FACTOR_RANGE_H_
