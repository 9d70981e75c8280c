// sprio's view of the policy.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SLURM_SPRIO_H_
#define PRIORITYD_CLIENT_PRIOCTL_SLURM_SPRIO_H_

#include <ostream>

#include "priority/v1/policy.pb.h"

namespace priorityd::prioctl {

// Prints the weights of the factors as sprio -w does: one row under the
// columns of a job listing, without the factors whose weight is 0.
void PrintWeights(const ::priority::v1::PolicyParameters& parameters, bool header,
                  std::ostream& out);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SLURM_SPRIO_H_
