// `prioctl seff`: what a job did with what it held, as Slurm's seff shows it.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SEFF_H_
#define PRIORITYD_CLIENT_PRIOCTL_SEFF_H_

#include <ostream>
#include <string>

#include "client/slurm/tables/ledger_runs.h"

namespace priorityd::prioctl {

// What nobody told is said to be so.
void PrintSeff(const tables::JobRun& run, const std::string& cluster, std::ostream& out);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SEFF_H_
