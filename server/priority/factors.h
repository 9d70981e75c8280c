// The nine factors of a job's priority and their sum (Slurm 25.11,
// priority_multifactor).
#ifndef PRIORITYD_SERVER_PRIORITY_FACTORS_H_
#define PRIORITYD_SERVER_PRIORITY_FACTORS_H_

#include <cstdint>
#include <vector>

namespace priorityd {

// One number per factor: the factors themselves, or the contributions (weight
// times factor). All 0 when the administrator set the priority.
struct PriorityFactors {
  double age = 0;
  double assoc = 0;
  double fair_share = 0;
  double job_size = 0;
  double partition = 0;
  double qos = 0;
  std::vector<double> tres;  // In the order of Policy::weight_tres.
  double site = 0;
  double nice = 0;  // A factor as given; as a contribution negated.
};

// The sum in Slurm's order of additions: age, assoc, fair_share, job_size,
// partition, qos, (sum of tres), site, nice.
double SumOf(const PriorityFactors& contributions);

// The final priority: truncated, clamped to [1, 4294967295].
uint32_t PriorityOf(double sum);

}  // namespace priorityd

#endif  // PRIORITYD_SERVER_PRIORITY_FACTORS_H_
