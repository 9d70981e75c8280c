// ListShareHistory: filters and pages.
#ifndef PRIORITYD_SERVER_API_SHARES_LIST_SHARE_HISTORY_H_
#define PRIORITYD_SERVER_API_SHARES_LIST_SHARE_HISTORY_H_

#include "absl/status/status.h"
#include "priority/v1/share.pb.h"
#include "server/recalculation/snapshot_registry.h"
#include "server/transport/caller.h"
#include "storage/database/report_database.h"

namespace priorityd::rpc {

// REQUIRES: Validate(request). Errors of SnapshotRegistry::Find; INVALID_ARGUMENT
// (INVALID_PAGE_TOKEN) for a token of another request; UNAVAILABLE: the database; PERMISSION_DENIED
// (ROLE_REQUIRED) if events are private.
absl::Status ListShareHistory(const recalculation::SnapshotRegistry& registry,
                              storage::ReportDatabase& reports, const Caller& caller,
                              const ::priority::v1::ListShareHistoryRequest& request,
                              ::priority::v1::ListShareHistoryResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_SHARES_LIST_SHARE_HISTORY_H_
