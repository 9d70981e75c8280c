// sreport's views of undecayed usage.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SREPORT_SREPORT_H_
#define PRIORITYD_CLIENT_PRIOCTL_SREPORT_SREPORT_H_

#include <ostream>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/prioctl/sreport/sreport_options.h"
#include "priority/v1/report.pb.h"

namespace priorityd::prioctl {

// OK, or INVALID_ARGUMENT: a time or --buckets. Says so before anything is asked.
absl::Status CheckOptions(const SreportOptions& options);

// The request to the service. Times are read in `zone`; by default the report
// is of yesterday, as Slurm's. INVALID_ARGUMENT for a time, a period or buckets that
// make no sense.
absl::StatusOr<::priority::v1::ReportUsageRequest> ReportRequest(const SreportOptions& options,
                                                                 absl::Time now,
                                                                 absl::TimeZone zone);

// Prints the whole report as sreport does. With buckets every row begins with the
// start of its bucket. `request` and `report` belong together.
void PrintReport(const ::priority::v1::ReportUsageRequest& request,
                 const ::priority::v1::ReportUsageResponse& report, const SreportOptions& options,
                 absl::TimeZone zone, std::ostream& out);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SREPORT_SREPORT_H_
