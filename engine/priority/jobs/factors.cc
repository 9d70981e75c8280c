#include "engine/priority/jobs/factors.h"

#include <numeric>

namespace priorityd::priority {

double SumOf(const PriorityFactors& contributions) {
  const double tres = std::accumulate(contributions.tres.begin(), contributions.tres.end(), 0.0);
  return contributions.age + contributions.assoc + contributions.fair_share +
         contributions.job_size + contributions.partition + contributions.qos + tres +
         contributions.site + contributions.nice;
}

}  // namespace priorityd::priority
