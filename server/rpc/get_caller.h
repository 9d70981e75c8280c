// GetCaller: who is calling, and what she may do.
#ifndef PRIORITYD_SERVER_RPC_GET_CALLER_H_
#define PRIORITYD_SERVER_RPC_GET_CALLER_H_

#include "absl/status/status.h"
#include "priority/v1/caller.pb.h"
#include "server/recalculation/snapshot_registry.h"
#include "server/rpc/boundary.h"
#include "server/rpc/caller.h"

namespace priorityd::rpc {

// Answers of the caller what the boundary found, and of the rights table the rows that it lets her
// pass. INVALID_ARGUMENT, NOT_FOUND (UNKNOWN_CLUSTER) for a cluster that is named; where none is
// named and there are several, what holds in all of them.
absl::Status GetCaller(const Boundary& boundary, const recalculation::SnapshotRegistry& registry,
                       const Caller& caller, const ::priority::v1::GetCallerRequest& request,
                       ::priority::v1::Caller* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_GET_CALLER_H_
