// sreport's report of jobs by how large they are.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SREPORT_JOB_SIZES_H_
#define PRIORITYD_CLIENT_PRIOCTL_SREPORT_JOB_SIZES_H_

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "client/prioctl/sreport/sreport_options.h"
#include "priority/v1/report.pb.h"

namespace priorityd::prioctl {

// The usage and the number of jobs of one size.
struct SizedUsage {
  double tres_seconds = 0;
  uint64_t jobs = 0;
};

// Of one account: an entry for each size from 0 to the greatest of SreportOptions::sizes.
struct AccountSizes {
  std::string account;
  std::vector<SizedUsage> sizes;
};

// The TRES whose usage is reported: -T, otherwise cpu.
std::string SizedTres(const SreportOptions& options);

// Of a report by account and job, by account. A job is as large as its CPU time divided by how long
// it ran, whatever TRES is reported, as in Slurm. All usage of the site is under the accounts
// without a parent; with `accounts_as_parents` under those one level below; with `flat_view` under
// each account itself. Accounts on which nothing ran, and those not named when some are, are left
// out.
std::vector<AccountSizes> SizesOf(const ::priority::v1::ReportUsageResponse& report,
                                  const SreportOptions& options);

// Prints them as sreport does. `request` and `report` belong together.
void PrintJobSizes(const ::priority::v1::ReportUsageRequest& request,
                   const ::priority::v1::ReportUsageResponse& report, const SreportOptions& options,
                   absl::TimeZone zone, std::ostream& out);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SREPORT_JOB_SIZES_H_
