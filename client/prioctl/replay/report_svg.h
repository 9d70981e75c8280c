// A report as a picture.
#ifndef PRIORITYD_CLIENT_PRIOCTL_REPLAY_REPORT_SVG_H_
#define PRIORITYD_CLIENT_PRIOCTL_REPLAY_REPORT_SVG_H_

#include <string>

#include "client/prioctl/replay/report.h"

namespace priorityd::replay {

// CPUs in use and jobs that wait over time, mean waits by size, and usage by account beside shares;
// a colour for each column. A whole SVG document.
std::string SvgText(const Report& report);

}  // namespace priorityd::replay

#endif  // PRIORITYD_CLIENT_PRIOCTL_REPLAY_REPORT_SVG_H_
