// A report for programs.
#ifndef PRIORITYD_CLIENT_PRIOCTL_REPLAY_REPORT_JSON_H_
#define PRIORITYD_CLIENT_PRIOCTL_REPLAY_REPORT_JSON_H_

#include <string>

#include "client/prioctl/replay/report.h"

namespace priorityd::replay {

// One JSON document and a line's end. Times are RFC 3339 in UTC, durations seconds, parts 0 to 1;
// docs/laboratory.md has the members.
std::string JsonText(const Report& report);

}  // namespace priorityd::replay

#endif  // PRIORITYD_CLIENT_PRIOCTL_REPLAY_REPORT_JSON_H_
