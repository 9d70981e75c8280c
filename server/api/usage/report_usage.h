// ReportUsage: answers a request with a page of a report.
#ifndef PRIORITYD_SERVER_API_USAGE_REPORT_USAGE_H_
#define PRIORITYD_SERVER_API_USAGE_REPORT_USAGE_H_

#include "absl/status/status.h"
#include "priority/v1/report.pb.h"
#include "server/authorization/visibility.h"
#include "server/recalculation/snapshot_registry.h"
#include "storage/database/report_database.h"

namespace priorityd::rpc {

// Counts the records that the caller may see. REQUIRES: Validate(request). Errors of
// SnapshotRegistry::Find and usage::ReportUsage; INVALID_ARGUMENT (INVALID_PAGE_TOKEN) for a token
// of another request, (INVALID_REQUEST) for too many buckets.
absl::Status ReportUsage(const recalculation::SnapshotRegistry& registry,
                         storage::ReportDatabase& reports, const authorization::Visibility& sees,
                         const ::priority::v1::ReportUsageRequest& request,
                         ::priority::v1::ReportUsageResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_USAGE_REPORT_USAGE_H_
