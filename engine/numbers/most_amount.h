// The bounds on amounts of resources: sums of many of them stay exact enough, products finite.
#ifndef PRIORITYD_ENGINE_NUMBERS_MOST_AMOUNT_H_
#define PRIORITYD_ENGINE_NUMBERS_MOST_AMOUNT_H_

namespace priorityd::numbers {

// CPUs, nodes, seconds; also of any resource in a plan.
inline constexpr double kMostAmount = 1e12;
// Counts of other TRES: sites count disk space in bytes.
inline constexpr double kMostCount = 1e18;

}  // namespace priorityd::numbers

#endif  // PRIORITYD_ENGINE_NUMBERS_MOST_AMOUNT_H_
