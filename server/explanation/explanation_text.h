// The words of an explanation.
#ifndef PRIORITYD_SERVER_EXPLANATION_EXPLANATION_TEXT_H_
#define PRIORITYD_SERVER_EXPLANATION_EXPLANATION_TEXT_H_

#include <string>
#include <vector>

#include "server/explanation/explanation.h"
#include "server/priority/scored_queue.h"

namespace priorityd::explanation {

// The sentences of an explanation whose other fields are filled, most important
// first: its place or why it has none, the ordering rules before priority, what
// decided the priority, the factors by what they give, what it costs.
// `row` is its row in the queue; -1 = it has none.
std::vector<std::string> Sentences(const priority::ScoredQueue& queue, int row,
                                   const Explanation& explanation);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_SERVER_EXPLANATION_EXPLANATION_TEXT_H_
