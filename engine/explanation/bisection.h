// Bisection: finds the number at which a predicate becomes true.
#ifndef PRIORITYD_ENGINE_EXPLANATION_BISECTION_H_
#define PRIORITYD_ENGINE_EXPLANATION_BISECTION_H_

#include <algorithm>
#include <cstdint>

namespace priorityd::explanation {

// A number n in (no, yes] with holds(n) and not holds(n - 1); the least such number if `holds` is
// monotonic. REQUIRES: no < yes, holds(yes), not holds(no).
template <typename Predicate>
int64_t FirstThatHolds(int64_t no, int64_t yes, const Predicate& holds) {
  while (yes - no > 1) {
    const int64_t middle = no + (yes - no) / 2;
    (holds(middle) ? yes : no) = middle;
  }
  return yes;
}

// The same with fewer calls if `guess` is near: about twice the logarithm of its distance.
template <typename Predicate>
int64_t FirstThatHoldsNear(int64_t guess, int64_t no, int64_t yes, const Predicate& holds) {
  bool held = true;
  for (int64_t step = 0; yes - no > 1; step = std::max<int64_t>(1, 2 * step)) {
    const int64_t from = step == 0 ? guess : held ? yes - step : no + step;
    const int64_t next = std::clamp(from, no + 1, yes - 1);
    const bool holds_there = holds(next);
    (holds_there ? yes : no) = next;
    if (step > 0 && holds_there != held) break;
    held = holds_there;
  }
  return FirstThatHolds(no, yes, holds);
}

}  // namespace priorityd::explanation

#endif  // PRIORITYD_ENGINE_EXPLANATION_BISECTION_H_
