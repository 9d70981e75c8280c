// The sentences of a comparison.
#ifndef PRIORITYD_ENGINE_EXPLANATION_COMPARISON_TEXT_H_
#define PRIORITYD_ENGINE_EXPLANATION_COMPARISON_TEXT_H_

#include <string>
#include <vector>

#include "engine/explanation/comparison.h"
#include "engine/priority/ranking/scored_queue.h"

namespace priorityd::explanation {

// The sentences of a comparison whose other fields are filled: why a job has no place, or which job
// comes first by which rule; which factors differ; usage and due share of both branches.
std::vector<std::string> ComparisonSentences(const priority::ScoredQueue& queue,
                                             const Comparison& comparison);

// The sentence for one change: its size, or why it is impossible. Does not read `changes` and
// `sentences` of `comparison`.
std::string ChangeSentence(const priority::ScoredQueue& queue, const Comparison& comparison,
                           const OrderChange& change);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_ENGINE_EXPLANATION_COMPARISON_TEXT_H_
