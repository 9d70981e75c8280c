// A report as a picture: a bar for each line.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SREPORT_REPORT_PICTURE_H_
#define PRIORITYD_CLIENT_PRIOCTL_SREPORT_REPORT_PICTURE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/prioctl/sreport/sreport_options.h"
#include "priority/v1/report.pb.h"

namespace priorityd::prioctl {

// The most bars of a picture, which states the number of lines that it omits.
inline constexpr int kMostBars = 200;

// OK, or INVALID_ARGUMENT: SizesByAccount has no lines of one amount each.
absl::Status CheckReportPicture(const SreportOptions& options);

// The lines of PrintUsage, in its order, each with its first amount in the same figures. `request`
// and `report` belong together.
std::string ReportPicture(const ::priority::v1::ReportUsageRequest& request,
                          const ::priority::v1::ReportUsageResponse& report,
                          const SreportOptions& options, absl::TimeZone zone);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SREPORT_REPORT_PICTURE_H_
