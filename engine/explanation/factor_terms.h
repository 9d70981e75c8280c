// The terms of a row's sum with their inputs.
#ifndef PRIORITYD_ENGINE_EXPLANATION_FACTOR_TERMS_H_
#define PRIORITYD_ENGINE_EXPLANATION_FACTOR_TERMS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "engine/priority/ranking/ranking.h"
#include "engine/priority/ranking/scored_queue.h"

namespace priorityd::explanation {

// One term of the sum.
struct FactorExplanation {
  std::string name;       // age, assoc, ..., tres/<name>, site, nice.
  std::string raw_input;  // The inputs as text with figures.
  double factor = 0;
  double weight = 0;  // 1 for site, -1 for nice.
  double contribution = 0;
  double share = 0;  // Part of the sum of positive contributions; 0 for negative ones.
};

// The terms in the order of Slurm's formula; all rows of a queue have the same names. `filled`: the
// row as filled by ScoredQueue::FillRow with factors; without factors (priority/basic) there are no
// terms.
std::vector<FactorExplanation> ExplainFactors(const priority::ScoredQueue& queue, size_t row,
                                              const priority::JobRow& filled);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_ENGINE_EXPLANATION_FACTOR_TERMS_H_
