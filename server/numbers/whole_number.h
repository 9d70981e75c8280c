// Doubles as whole numbers: for printing and for messages that have integers. A plain cast of a
// double beyond 64 bits is undefined, and printed a usage of 3e19 as 0.
#ifndef PRIORITYD_SERVER_NUMBERS_WHOLE_NUMBER_H_
#define PRIORITYD_SERVER_NUMBERS_WHOLE_NUMBER_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/str_format.h"

namespace priorityd::numbers {

// The whole part of `number`; what 64 bits do not hold becomes the nearest number that they hold.
// REQUIRES: `number` is not NaN.
inline int64_t WholePart(double number) {
  constexpr double kBeyond = 9223372036854775808.0;  // 2^63: the first one too large.
  if (number >= kBeyond) return std::numeric_limits<int64_t>::max();
  if (number < -kBeyond) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(number);
}

// The nearest whole number, halves away from zero, with the same bounds.
inline int64_t RoundedWhole(double number) { return WholePart(std::round(number)); }

// The digits of the whole part, however large it is.
inline std::string WholeText(double number) {
  // Adding zero takes the sign from a negative zero.
  return absl::StrFormat("%.0f", std::trunc(number) + 0.0);
}

}  // namespace priorityd::numbers

#endif  // PRIORITYD_SERVER_NUMBERS_WHOLE_NUMBER_H_
