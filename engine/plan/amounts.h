// Vectors of resource amounts.
#ifndef PRIORITYD_ENGINE_PLAN_AMOUNTS_H_
#define PRIORITYD_ENGINE_PLAN_AMOUNTS_H_

#include <cstddef>
#include <cstdint>

#include "absl/container/inlined_vector.h"

namespace priorityd::plan {

// Amounts by resource: one entry for each name in a list of the caller, in any integer unit. All
// amounts of a plan have the same length.
using Amounts = absl::InlinedVector<int64_t, 4>;

// Whether `need` fits into `free`. A resource with a need of 0 always fits, even if its free amount
// is negative.
inline bool Fits(const Amounts& need, const Amounts& free) {
  for (size_t i = 0; i < need.size(); ++i) {
    if (need[i] > free[i] && need[i] > 0) return false;
  }
  return true;
}

inline void Add(const Amounts& more, Amounts* sum) {
  for (size_t i = 0; i < more.size(); ++i) (*sum)[i] += more[i];
}

inline void Subtract(const Amounts& less, Amounts* sum) {
  for (size_t i = 0; i < less.size(); ++i) (*sum)[i] -= less[i];
}

}  // namespace priorityd::plan

#endif  // PRIORITYD_ENGINE_PLAN_AMOUNTS_H_
