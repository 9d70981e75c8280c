// Where a claim about a number begins to hold.
#ifndef PRIORITYD_SERVER_EXPLANATION_BISECTION_H_
#define PRIORITYD_SERVER_EXPLANATION_BISECTION_H_

#include <cstdint>

namespace priorityd::explanation {

// A number in (no, yes] for which `holds` is true and is not for the number
// before it; the least one if `holds` stays true once it is. REQUIRES: no < yes,
// holds(yes), not holds(no).
template <typename Predicate>
int64_t FirstThatHolds(int64_t no, int64_t yes, const Predicate& holds) {
  while (yes - no > 1) {
    const int64_t middle = no + (yes - no) / 2;
    (holds(middle) ? yes : no) = middle;
  }
  return yes;
}

}  // namespace priorityd::explanation

#endif  // PRIORITYD_SERVER_EXPLANATION_BISECTION_H_
