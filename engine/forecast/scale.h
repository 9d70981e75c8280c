// The scale on which waits are compared: y = log(1 + wait / 60 s).
#ifndef PRIORITYD_ENGINE_FORECAST_SCALE_H_
#define PRIORITYD_ENGINE_FORECAST_SCALE_H_

namespace priorityd::forecast {

// The natural logarithm, of additions, multiplications and divisions only: the same bits on each
// machine, which those of C libraries are not. REQUIRES: `x` is finite and above 0.
double Log(double x);

// The scale of a wait in seconds, at least 0, and back. Times of a second and of a minute differ by
// as much as a week and two weeks. Rounded to multiples of 2^-20, so that sums of up to 2^30 of
// them are exact in any order.
double ToScale(double wait);
// 0 for what is below 0. At most 100 years.
double FromScale(double y);

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_SCALE_H_
