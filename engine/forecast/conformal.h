// Adaptive conformal correction of intervals.
#ifndef PRIORITYD_ENGINE_FORECAST_CONFORMAL_H_
#define PRIORITYD_ENGINE_FORECAST_CONFORMAL_H_

#include <cstddef>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace priorityd::forecast {

// Shifts of both ends of an interval from the .1 to the .9 quantile, learned online: after a start
// above it the upper end rises by .9 steps, after any other it falls by .1 steps; the lower end
// likewise. In the long run each tail has 10 %, whatever the forecasts were, as long as a shift is
// below its bound, q10 above 0, and no side misses over a quarter. Gibbs, Candes, "Adaptive
// conformal inference under distribution shift", NeurIPS 2021, with steps in proportion to the
// interval. Half of a shift is learned from all jobs, half from those of the job's class.
//
// While a side misses over a quarter of the jobs, its steps are larger, up to ten times: after an
// outage or a change of the order the shift is wrong by more than small steps correct in time.
// These are changes of the whole queue: what all jobs missed counts, not what a class did. After
// such a burst the tails are smaller than 10 % for a while, as small steps narrow what it widened.
//
// Memory: two numbers for each of at most kMostClasses classes; others use the half of all twice.
class Conformal {
 public:
  struct Options {
    double step = .01;      // Of the interval's width.
    double most = 6;        // Of a shift, on the scale of ToScale.
    double narrowest = .2;  // The width that narrower intervals count as.
  };
  static constexpr size_t kMostClasses = 2'000;

  Conformal() : Conformal(Options()) {}
  explicit Conformal(const Options& options) : options_(options) {}

  struct Shift {
    double low = 0;   // Is added to q10.
    double high = 0;  // Is added to q90.
  };
  Shift ShiftOf(absl::string_view job_class) const;

  // The outcome of a job: whether it started below or above its corrected interval, whose width was
  // `width` before the correction, on the scale.
  void Judge(absl::string_view job_class, bool below, bool above, double width);

  void Clear();

 private:
  // The multiple of the step for a side that missed so large a part lately: 1 up to .25, 10 from .7
  // on.
  double Haste(double missed) const;
  void Move(const Shift& by, Shift* shift) const;

  Options options_;
  Shift all_;
  Shift missed_ = {.1, .1};  // The parts of the last jobs that each side missed.
  absl::flat_hash_map<std::string, Shift> classes_;
};

// A quantile after a shift: the whole shift of its side at .1 and .9, nothing at .5, and elsewhere
// in proportion to the distance from .5.
double Shifted(double quantile, double level, const Conformal::Shift& shift);

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_CONFORMAL_H_
