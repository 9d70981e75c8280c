// ListShareHistory: filters and pages.
#ifndef PRIORITYD_SERVER_RPC_LIST_SHARE_HISTORY_H_
#define PRIORITYD_SERVER_RPC_LIST_SHARE_HISTORY_H_

#include "absl/status/status.h"
#include "priority/v1/share.pb.h"
#include "server/recalculation/snapshot_registry.h"
#include "storage/database.h"

namespace priorityd::rpc {

// REQUIRES: Validate(request). Errors of SnapshotRegistry::Find;
// INVALID_ARGUMENT (INVALID_PAGE_TOKEN) for a token of another request;
// UNAVAILABLE: the database.
absl::Status ListShareHistory(const recalculation::SnapshotRegistry& registry,
                              storage::Database& database,
                              const ::priority::v1::ListShareHistoryRequest& request,
                              ::priority::v1::ListShareHistoryResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_LIST_SHARE_HISTORY_H_
