// ListUsageRecords.
#ifndef PRIORITYD_SERVER_API_USAGE_LIST_USAGE_RECORDS_H_
#define PRIORITYD_SERVER_API_USAGE_LIST_USAGE_RECORDS_H_

#include "absl/status/status.h"
#include "priority/v1/usage.pb.h"
#include "server/authorization/visibility.h"
#include "server/recalculation/snapshot_registry.h"
#include "storage/database/report_database.h"

namespace priorityd::rpc {

// A page ends when it exceeds this size.
inline constexpr size_t kMaxRecordsPageBytes = 32 << 20;

// The records that the caller may see and that ReportUsage counts. INVALID_ARGUMENT for a field,
// and (INVALID_PAGE_TOKEN) for a token of another request; errors of SnapshotRegistry::Find;
// UNAVAILABLE: the database.
absl::Status ListUsageRecords(const recalculation::SnapshotRegistry& registry,
                              storage::ReportDatabase& reports,
                              const authorization::Visibility& sees,
                              const ::priority::v1::ListUsageRecordsRequest& request,
                              ::priority::v1::ListUsageRecordsResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_USAGE_LIST_USAGE_RECORDS_H_
