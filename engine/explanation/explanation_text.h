// The sentences of an explanation.
#ifndef PRIORITYD_ENGINE_EXPLANATION_EXPLANATION_TEXT_H_
#define PRIORITYD_ENGINE_EXPLANATION_EXPLANATION_TEXT_H_

#include <string>
#include <vector>

#include "engine/explanation/explanation.h"
#include "engine/priority/ranking/scored_queue.h"

namespace priorityd::explanation {

// The sentences of an explanation whose other fields are filled, most important first: the place or
// why there is none, the ordering rules before the priority, how the priority was determined, the
// factors by their points, the billing. `row`: the job's row in the queue; -1 = none.
std::vector<std::string> Sentences(const priority::ScoredQueue& queue, int row,
                                   const Explanation& explanation);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_ENGINE_EXPLANATION_EXPLANATION_TEXT_H_
