// A number as people read it, in tables and sentences.
#ifndef PRIORITYD_ENGINE_NUMBERS_NUMBER_TEXT_H_
#define PRIORITYD_ENGINE_NUMBERS_NUMBER_TEXT_H_

#include <cmath>
#include <string>

#include "absl/strings/str_format.h"

namespace priorityd::numbers {

// At most so many significant digits, but every digit before the point, so that limits and counts
// are those that somebody set: 0.25, 1234567, 123456789. Above 2^53: 1.5e+20.
inline std::string NumberText(double number, int digits = 6) {
  constexpr double kMostExact = 9'007'199'254'740'992;  // 2^53
  const bool is_long = std::abs(number) >= std::pow(10, digits) - 0.5;
  return is_long && std::abs(number) < kMostExact ? absl::StrFormat("%.0f", number)
                                                  : absl::StrFormat("%.*g", digits, number);
}

}  // namespace priorityd::numbers

#endif  // PRIORITYD_ENGINE_NUMBERS_NUMBER_TEXT_H_
