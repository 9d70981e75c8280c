// ListAuditEvents.
#ifndef PRIORITYD_SERVER_API_ADMINISTRATION_LIST_AUDIT_EVENTS_H_
#define PRIORITYD_SERVER_API_ADMINISTRATION_LIST_AUDIT_EVENTS_H_

#include "absl/status/status.h"
#include "priority/v1/audit.pb.h"
#include "server/recalculation/snapshot_registry.h"
#include "storage/database/report_database.h"

namespace priorityd::rpc {

// For an existing cluster, or the remaining events of a deleted one. Errors of
// SnapshotRegistry::Resolve and PageTokens, INVALID_ARGUMENT with the violations.
absl::Status ListAuditEvents(storage::ReportDatabase& reports,
                             const recalculation::SnapshotRegistry& registry,
                             const ::priority::v1::ListAuditEventsRequest& request,
                             ::priority::v1::ListAuditEventsResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_ADMINISTRATION_LIST_AUDIT_EVENTS_H_
