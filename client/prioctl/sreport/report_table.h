// The tables of sreport, but for that of sizes (job_sizes.h).
#ifndef PRIORITYD_CLIENT_PRIOCTL_SREPORT_REPORT_TABLE_H_
#define PRIORITYD_CLIENT_PRIOCTL_SREPORT_REPORT_TABLE_H_

#include <ostream>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "client/prioctl/sreport/sreport_options.h"
#include "client/prioctl/text/slurm_table.h"
#include "priority/v1/report.pb.h"

namespace priorityd::prioctl {

// The room of "(100.00%)", 0 where no percentage is shown beside an amount.
int PercentWidth(const ReportTimeFormat& format);

// An amount as -t says: halves to the even number, as C prints them.
SlurmCell ReportAmount(double seconds, double percent, const SreportOptions& options);

// `CPU Hours/Percentage of Total`; of = `CPU `.
std::string UnitText(absl::string_view of, const ReportTimeFormat& format);

// `2026-01-05T00:00:00 - 2026-01-05T23:59:59`.
std::string ReportPeriodText(const ::priority::v1::ReportUsageRequest& request,
                             absl::TimeZone zone);
// ` (86400 secs)`.
std::string ReportLengthText(const ::priority::v1::ReportUsageRequest& request);

// The lines above a table, between rules.
void PrintReportTitle(absl::string_view title, absl::string_view units, std::ostream& out);

// `request` and `report` belong together.
void PrintUsage(const ::priority::v1::ReportUsageRequest& request,
                const ::priority::v1::ReportUsageResponse& report, const SreportOptions& options,
                absl::TimeZone zone, std::ostream& out);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SREPORT_REPORT_TABLE_H_
