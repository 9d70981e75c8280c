// `prioctl sacct`: what jobs used, as far as the ledger can tell, in Slurm's columns.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SACCT_H_
#define PRIORITYD_CLIENT_PRIOCTL_SACCT_H_

#include <ostream>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/prioctl/budget_options.h"
#include "client/prioctl/console.h"
#include "client/priority_client.h"
#include "priority/v1/queue.pb.h"
#include "priority/v1/report.pb.h"
#include "priority/v1/usage.pb.h"

namespace priorityd::prioctl {

// A row for each job of a report by account, user, QOS and job, by start. The tracked queue tells
// name and state of the jobs that it still has; what collectors told of others is that of their
// last run (`told`). What nobody told is blank. INVALID_ARGUMENT for a format.
absl::Status PrintAccounting(const ::priority::v1::ReportUsageResponse& report,
                             const ::priority::v1::ListJobsResponse& tracked,
                             const ::priority::v1::ListUsageRecordsResponse& told,
                             const SacctOptions& options, absl::TimeZone zone, std::ostream& out);

absl::Status Run(const SacctOptions& options, const client::PriorityClient& client,
                 Console& console);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SACCT_H_
