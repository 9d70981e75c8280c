// `prioctl seff`: what a job did with what it held, as Slurm's seff shows it.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SEFF_H_
#define PRIORITYD_CLIENT_PRIOCTL_SEFF_H_

#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "client/prioctl/budget_options.h"
#include "client/prioctl/console.h"
#include "client/priority_client.h"
#include "client/slurm/tables/ledger_runs.h"

namespace priorityd::prioctl {

// What nobody told is said to be so.
void PrintSeff(const tables::JobRun& run, const std::string& cluster, std::ostream& out);

// Of a job that ran several times the last run, and how many there were; of jobs of several sources
// each. NOT_FOUND: the ledger has no record of it that the caller is shown.
absl::Status Run(const SeffOptions& options, const client::PriorityClient& client,
                 Console& console);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SEFF_H_
