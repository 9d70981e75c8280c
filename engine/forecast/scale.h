// The scale on which waits are compared: y = log(1 + wait / 60 s).
//
// All of it is additions, multiplications and divisions: it has the same bits on each machine,
// which the logarithms of C libraries do not.
#ifndef PRIORITYD_ENGINE_FORECAST_SCALE_H_
#define PRIORITYD_ENGINE_FORECAST_SCALE_H_

#include <cstdint>

namespace priorityd::forecast {

// The natural logarithm and its inverse, within 1e-14 of their values. REQUIRES: `x` is above 0;
// -700 < `y` < 700.
double Log(double x);
double Exp(double y);

// The longest wait that is distinguished: 100 years, in seconds.
inline constexpr double kLongestWait = 3.15576e9;

// The scale of a wait in seconds, and back. A minute and two minutes differ on it by about as much
// as a week and ten days. What is below 0 or above kLongestWait counts as these.
double ToScale(double wait);
double FromScale(double y);

// A value of the scale as a whole number of 2^-20: sums of such are exact in any order.
uint32_t ToFixed(double y);
double FromFixed(uint32_t fixed);

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_SCALE_H_
