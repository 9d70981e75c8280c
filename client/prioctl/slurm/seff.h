// `prioctl seff`: the part of a job's allocation that it used, as Slurm's seff shows it.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SLURM_SEFF_H_
#define PRIORITYD_CLIENT_PRIOCTL_SLURM_SEFF_H_

#include <ostream>
#include <string>

#include "client/slurm/tables/ledger_runs.h"

namespace priorityd::prioctl {

// Prints that a figure was not recorded, for each such figure.
void PrintSeff(const tables::JobRun& run, const std::string& cluster, std::ostream& out);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SLURM_SEFF_H_
