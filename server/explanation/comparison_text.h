// The words of a comparison.
#ifndef PRIORITYD_SERVER_EXPLANATION_COMPARISON_TEXT_H_
#define PRIORITYD_SERVER_EXPLANATION_COMPARISON_TEXT_H_

#include <string>
#include <vector>

#include "server/explanation/comparison.h"
#include "server/priority/scored_queue.h"

namespace priorityd::explanation {

// The sentences of a comparison whose other fields are filled: why one has no
// place, or which comes first by which rule; which factors make the difference; what
// both branches have used and are due.
std::vector<std::string> ComparisonSentences(const priority::ScoredQueue& queue,
                                             const Comparison& comparison);

// What one change would take, or why it cannot be. `comparison` has all but `changes`
// and `sentences`.
std::string ChangeSentence(const priority::ScoredQueue& queue, const Comparison& comparison,
                           const OrderChange& change);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_SERVER_EXPLANATION_COMPARISON_TEXT_H_
