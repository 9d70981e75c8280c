// Converts doubles to integers for messages and printing. A plain cast of a double beyond 64 bits
// is undefined behaviour: it printed a usage of 3e19 as 0.
#ifndef PRIORITYD_ENGINE_NUMBERS_WHOLE_NUMBER_H_
#define PRIORITYD_ENGINE_NUMBERS_WHOLE_NUMBER_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/str_format.h"

namespace priorityd::numbers {

// `number` truncated towards zero and clamped to the range of int64_t. REQUIRES: not NaN.
inline int64_t WholePart(double number) {
  constexpr double kBeyond = 9223372036854775808.0;  // 2^63: the first one too large.
  if (number >= kBeyond) return std::numeric_limits<int64_t>::max();
  if (number < -kBeyond) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(number);
}

// The nearest integer, halves rounded away from zero, clamped likewise. REQUIRES: not NaN.
inline int64_t RoundedWhole(double number) { return WholePart(std::round(number)); }

// The digits of the integer part, of any size.
inline std::string WholeText(double number) {
  // Adding zero removes the sign of a negative zero.
  return absl::StrFormat("%.0f", std::trunc(number) + 0.0);
}

}  // namespace priorityd::numbers

#endif  // PRIORITYD_ENGINE_NUMBERS_WHOLE_NUMBER_H_
