// The CPUs that running jobs will have released, by time.
#ifndef PRIORITYD_ENGINE_FORECAST_RELEASE_CURVE_H_
#define PRIORITYD_ENGINE_FORECAST_RELEASE_CURVE_H_

#include <utility>
#include <vector>

namespace priorityd::forecast {

class ReleaseCurve {
 public:
  // No CPU is free, and none will be.
  ReleaseCurve() = default;
  // `releases`: seconds from now, at least 0, and CPUs. `free`: CPUs that are free now.
  ReleaseCurve(double free, std::vector<std::pair<float, float>> releases);

  // Seconds until so many CPUs are free. If the running jobs do not have so many: half as long
  // again as until all of them have ended, and a minute.
  double UntilFree(double cpus) const;
  // The CPUs that are free after so many seconds.
  double FreeAt(double seconds) const;
  // The sum of CPUs x seconds.
  double work() const { return work_; }

 private:
  double free_ = 0;
  double work_ = 0;
  std::vector<double> times_;       // Ascending.
  std::vector<double> free_after_;  // By release.
};

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_RELEASE_CURVE_H_
