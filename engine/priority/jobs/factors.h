// The nine factors of a job's priority and their sum (Slurm 25.11,
// priority_multifactor).
#ifndef PRIORITYD_ENGINE_PRIORITY_JOBS_FACTORS_H_
#define PRIORITYD_ENGINE_PRIORITY_JOBS_FACTORS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace priorityd::priority {

// One number per factor: either the factors or the contributions (weight * factor). All 0 if an
// administrator set the priority. Finite.
struct PriorityFactors {
  double age = 0;
  double assoc = 0;
  double fair_share = 0;
  double job_size = 0;
  double partition = 0;
  double qos = 0;
  std::vector<double> tres;  // In the order of Policy::weight_tres.
  double site = 0;
  double nice = 0;  // Factor: the nice value. Contribution: its negative.
};

// `amount` clamped to +/-1e300, so that no product or sum of amounts becomes infinite; 0 for NaN
// (infinity minus infinity).
inline double Bounded(double amount) {
  constexpr double kLargest = 1e300;
  return std::isnan(amount) ? 0 : std::clamp(amount, -kLargest, kLargest);
}

// weight * factor, bounded.
inline double Contribution(double weight, double factor) { return Bounded(weight * factor); }

// The sum, added in Slurm's order so that rounding agrees: age, assoc, fair_share, job_size,
// partition, qos, (sum of tres), site, nice.
double SumOf(const PriorityFactors& contributions);

// The final priority: `sum` truncated and clamped to [1, 4294967295]. REQUIRES: not NaN.
inline uint32_t PriorityOf(double sum) {
  constexpr double kLargest = std::numeric_limits<uint32_t>::max();
  return static_cast<uint32_t>(std::clamp(sum, 1.0, kLargest));
}

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_JOBS_FACTORS_H_
