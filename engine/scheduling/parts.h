// Amounts of resources and pools as a plan takes them: in thousandths.
#ifndef PRIORITYD_ENGINE_SCHEDULING_PARTS_H_
#define PRIORITYD_ENGINE_SCHEDULING_PARTS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/numbers/whole_number.h"

namespace priorityd::scheduling {

inline constexpr double kParts = 1000;  // Parts of one CPU, MB, GPU or job.

inline int64_t Parts(double parts) { return numbers::WholePart(std::min(parts, 1e15)); }
// An amount that there is: rounded down.
inline int64_t Down(double amount) { return Parts(std::floor(amount * kParts + 1e-6)); }
// An amount that a job wants: rounded up.
inline int64_t Up(double amount) { return Parts(std::ceil(amount * kParts - 1e-6)); }

}  // namespace priorityd::scheduling

#endif  // PRIORITYD_ENGINE_SCHEDULING_PARTS_H_
