// ListShares: filters and pages.
#ifndef PRIORITYD_SERVER_API_SHARES_LIST_SHARES_H_
#define PRIORITYD_SERVER_API_SHARES_LIST_SHARES_H_

#include "absl/status/status.h"
#include "priority/v1/share.pb.h"
#include "server/api/shares/share_list.h"
#include "server/authorization/visibility.h"
#include "server/budgets/running_usage.h"
#include "server/recalculation/snapshot_registry.h"

namespace priorityd::rpc {

// A list continues in its first snapshot while that is kept, otherwise in the newest one after the
// last listed association. `running`: the remaining usage of running jobs. REQUIRES:
// Validate(request). Errors of SnapshotRegistry::Find; INVALID_ARGUMENT (INVALID_PAGE_TOKEN) for a
// token of another request.
absl::Status ListShares(const recalculation::SnapshotRegistry& registry,
                        const authorization::Visibility& sees, ShareLists& lists,
                        const budgets::RunningUsage& running,
                        const ::priority::v1::ListSharesRequest& request,
                        ::priority::v1::ListSharesResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_SHARES_LIST_SHARES_H_
