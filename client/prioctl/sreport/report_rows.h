// From the rows of a report to the rows that sreport prints.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SREPORT_REPORT_ROWS_H_
#define PRIORITYD_CLIENT_PRIOCTL_SREPORT_REPORT_ROWS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "client/prioctl/sreport/sreport_options.h"
#include "priority/v1/report.pb.h"

namespace priorityd::prioctl {

// TRES-seconds by name.
using TresSeconds = std::map<std::string, double>;

// One line: the owner, and its usage in one bucket.
struct ReportLine {
  std::string account;
  std::string user;
  std::string qos;
  int depth = 0;  // Of the account; root is 0.
  TresSeconds used;
};

struct ReportBucketLines {
  absl::Time start;
  absl::Time end;
  std::vector<ReportLine> lines;
};

// Whether `names` has the name, or has none.
bool Listed(const std::vector<std::string>& names, const std::string& name);

// The lines of a report, bucket by bucket, in sreport's order.
//
// AccountUtilizationByUser: the account tree from root, siblings by name; each
// account with all it and the accounts below used, then its own users by name.
// AccountUtilizationByQOS: the same with the QOS of each account, everything below
// counted, in the place of users. UserUtilizationByAccount: a line per user and
// account, the largest first by CPU time. TopUsage: the first top_count of
// these, by the first TRES asked for; with `group` a user's accounts are one line. With users
// named only they have lines, by account and user. Accounts without usage are left out, and so are
// those not named when `options` name some. Utilization: one line with all that was used.
std::vector<ReportBucketLines> LinesOf(const ::priority::v1::ReportUsageResponse& report,
                                       const SreportOptions& options);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SREPORT_REPORT_ROWS_H_
