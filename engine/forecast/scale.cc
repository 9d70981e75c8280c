#include "engine/forecast/scale.h"

#include <algorithm>
#include <cmath>

namespace priorityd::forecast {
namespace {

constexpr double kLog2 = 0.693147180559945309417;
constexpr double kFixedOne = 1 << 20;

}  // namespace

double Log(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);  // 1/2 to 1; exact.
  if (mantissa < 0.70710678118654752) {
    mantissa *= 2;
    --exponent;
  }
  // log m = 2 artanh z = 2 (z + z^3 / 3 + z^5 / 5 + ...), |z| < 0.172.
  const double z = (mantissa - 1) / (mantissa + 1);
  const double square = z * z;
  double sum = 0;
  for (int power = 21; power >= 1; power -= 2) sum = sum * square + 1.0 / power;
  return 2 * z * sum + exponent * kLog2;
}

double Exp(double y) {
  const double exponent = std::floor(y / kLog2 + 0.5);
  const double rest = y - exponent * kLog2;  // At most 0.35 from 0.
  double sum = 1;
  for (int term = 16; term >= 1; --term) sum = 1 + rest * sum / term;
  return std::ldexp(sum, static_cast<int>(exponent));
}

double ToScale(double wait) { return Log(1 + std::clamp(wait, 0.0, kLongestWait) / 60); }

double FromScale(double y) {
  if (!(y > 0)) return 0;
  if (y > 18) return kLongestWait;
  return std::min(60 * (Exp(y) - 1), kLongestWait);
}

uint32_t ToFixed(double y) { return static_cast<uint32_t>(y * kFixedOne + 0.5); }

double FromFixed(uint32_t fixed) { return fixed / kFixedOne; }

}  // namespace priorityd::forecast
