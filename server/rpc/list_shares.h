// ListShares: filters and pages.
#ifndef PRIORITYD_SERVER_RPC_LIST_SHARES_H_
#define PRIORITYD_SERVER_RPC_LIST_SHARES_H_

#include "absl/status/status.h"
#include "priority/v1/share.pb.h"
#include "server/recalculation/snapshot_registry.h"
#include "server/rpc/share_list.h"

namespace priorityd::rpc {

// REQUIRES: Validate(request). Errors of SnapshotRegistry::Find;
// INVALID_ARGUMENT (INVALID_PAGE_TOKEN) for a token of another request; ABORTED
// (SNAPSHOT_GONE) when the token's snapshot is no longer kept.
absl::Status ListShares(const recalculation::SnapshotRegistry& registry, ShareLists& lists,
                        const ::priority::v1::ListSharesRequest& request,
                        ::priority::v1::ListSharesResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_LIST_SHARES_H_
