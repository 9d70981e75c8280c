// Converts ReportUsage's request to a query of the ledger.
#ifndef PRIORITYD_SERVER_API_USAGE_CONVERT_REPORT_H_
#define PRIORITYD_SERVER_API_USAGE_CONVERT_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "priority/v1/report.pb.h"
#include "server/usage/usage_report.h"

namespace priorityd::rpc {

// The row after which a page starts; the ledger may have grown since.
struct ReportPlace {
  int64_t last_seq = 0;
  int64_t bucket = 0;
  std::vector<std::string> texts;  // Account, user and QOS, and the job in a report by job.

  bool IsValid() const;
};

// Everything except the audience. INVALID_ARGUMENT for too many buckets; errors of
// PageTokens::Given. REQUIRES: the request is valid.
absl::StatusOr<usage::UsageReportQuery> QueryOf(const ::priority::v1::ReportUsageRequest& request,
                                                const std::string& cluster, absl::TimeZone zone);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_USAGE_CONVERT_REPORT_H_
