// `prioctl seff`: what a job did with what it held, as Slurm's seff shows it.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SLURM_SEFF_H_
#define PRIORITYD_CLIENT_PRIOCTL_SLURM_SEFF_H_

#include <ostream>
#include <string>

#include "client/slurm/tables/ledger_runs.h"

namespace priorityd::prioctl {

// Says of each figure that was not recorded that it was not.
void PrintSeff(const tables::JobRun& run, const std::string& cluster, std::ostream& out);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SLURM_SEFF_H_
