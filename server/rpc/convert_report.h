// ReportUsage's request, as the ledger is asked.
#ifndef PRIORITYD_SERVER_RPC_CONVERT_REPORT_H_
#define PRIORITYD_SERVER_RPC_CONVERT_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "priority/v1/report.pb.h"
#include "server/usage/usage_report.h"

namespace priorityd::rpc {

// A page begins after this row, in the report of a ledger that has grown since.
struct ReportPlace {
  int64_t last_seq = 0;
  int64_t bucket = 0;
  std::vector<std::string> texts;  // Account, user and QOS, and the job of a report by job.

  bool IsValid() const;
};

// All but the audience. INVALID_ARGUMENT for more buckets than there may be; errors of
// PageTokens::Given. REQUIRES: the request is valid.
absl::StatusOr<usage::UsageReportQuery> QueryOf(const ::priority::v1::ReportUsageRequest& request,
                                                const std::string& cluster, absl::TimeZone zone);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_CONVERT_REPORT_H_
