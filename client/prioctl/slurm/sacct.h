// `prioctl sacct`: what jobs used, as far as the ledger has it, in Slurm's columns.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SLURM_SACCT_H_
#define PRIORITYD_CLIENT_PRIOCTL_SLURM_SACCT_H_

#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/prioctl/text/slurm_table.h"
#include "priority/v1/queue.pb.h"
#include "priority/v1/report.pb.h"
#include "priority/v1/usage.pb.h"

namespace priorityd::prioctl {

// `prioctl sacct`, by Slurm's options.
struct SacctOptions {
  std::vector<std::string> jobs;
  std::vector<std::string> users;
  std::vector<std::string> accounts;
  bool all_users = false;
  std::string start;  // As given; empty = midnight, with jobs the beginning.
  std::string end;    // Empty = now.
  std::string format;
  bool header = true;
  SlurmLayout layout = SlurmLayout::kFixedWidth;
  bool json = false;
};

// A row for each job of a report by account, user, QOS and job, by start. Name and state of the
// jobs that are still in the tracked queue are the queue's; those of others are the collectors', of
// the last run (`records`). Unknown values are blank. INVALID_ARGUMENT for a format.
absl::Status PrintAccounting(const ::priority::v1::ReportUsageResponse& report,
                             const ::priority::v1::ListJobsResponse& tracked,
                             const ::priority::v1::ListUsageRecordsResponse& records,
                             const SacctOptions& options, absl::TimeZone zone, std::ostream& out);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SLURM_SACCT_H_
