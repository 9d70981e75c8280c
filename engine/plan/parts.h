// Amounts of resources and pools as a plan takes them: in parts of one CPU, MB, GPU or job, mostly
// thousandths.
#ifndef PRIORITYD_ENGINE_PLAN_PARTS_H_
#define PRIORITYD_ENGINE_PLAN_PARTS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/numbers/most_amount.h"
#include "engine/numbers/whole_number.h"

namespace priorityd::plan {

inline constexpr double kParts = 1000;
using numbers::kMostAmount;  // Larger amounts count as this one.

// The parts of one unit, of which a node or a pool has at most `most`: fewer than kParts if that is
// more than 1e9. So none has more than 1e12 parts, and 64 bits hold the sum of what 9 million
// running jobs use of it.
inline double PartsFor(double most) {
  double parts = kParts;
  while (parts > 1 && most * parts > 1e12) parts /= 10;
  return parts;
}

// An amount that there is: rounded down.
inline int64_t Down(double amount, double parts = kParts) {
  return numbers::WholePart(std::floor(std::min(amount, kMostAmount) * parts + 1e-6));
}
// An amount that a job wants: rounded up.
inline int64_t Up(double amount, double parts = kParts) {
  return numbers::WholePart(std::ceil(std::min(amount, kMostAmount) * parts - 1e-6));
}

}  // namespace priorityd::plan

#endif  // PRIORITYD_ENGINE_PLAN_PARTS_H_
