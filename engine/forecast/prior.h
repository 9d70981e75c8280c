// The forecast before anything is learned.
#ifndef PRIORITYD_ENGINE_FORECAST_PRIOR_H_
#define PRIORITYD_ENGINE_FORECAST_PRIOR_H_

namespace priorityd::forecast {

// The quantile of the wait, in seconds, of a job that has waited `age` seconds, by a log-logistic
// distribution that is wide on purpose: half of the waits are above an hour, a tenth above 81
// hours. Its tail is heavy: a job that has waited long has a median of four times its age.
double PriorQuantile(double level, double age);

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_PRIOR_H_
