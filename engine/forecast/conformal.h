// Adaptive conformal correction of intervals.
#ifndef PRIORITYD_ENGINE_FORECAST_CONFORMAL_H_
#define PRIORITYD_ENGINE_FORECAST_CONFORMAL_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace priorityd::forecast {

// Shifts of both ends of an 80 % interval, learned online: after a start above q90 the upper end
// rises by .9 steps, after any other start it falls by .1 steps, and likewise below. In the long
// run each tail has 10 %, whatever the forecasts. Gibbs, Candes, "Adaptive conformal inference
// under distribution shift", NeurIPS 2021, with steps in proportion to the width of the interval.
// Half of a shift is of all jobs, half of the job's class.
class Conformal {
 public:
  struct Options {
    double step = .005;    // Of the width, at each start.
    double most = 1;       // Of a shift, on the scale of ToScale.
    double narrowest = 1;  // The width that steps of narrower intervals have.
  };
  static constexpr size_t kMostClasses = 1'000;

  Conformal() : Conformal(Options()) {}
  explicit Conformal(const Options& options) : options_(options) {}

  struct Shift {
    double low = 0;   // Is added to q10.
    double high = 0;  // Is added to q90.
  };
  Shift ShiftOf(absl::string_view job_class) const;

  // A job's outcome is known: whether it started below and above its corrected interval of this
  // width before the correction.
  void Judge(absl::string_view job_class, bool below, bool above, double width);

  void Clear();

 private:
  Options options_;
  Shift all_;
  absl::flat_hash_map<std::string, Shift> classes_;
};

// The quantile of a level after a shift: the whole shift of its side at .1 and .9, none at .5, and
// in proportion to the distance from .5 elsewhere.
double Shifted(double quantile, double level, const Conformal::Shift& shift);

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_CONFORMAL_H_
