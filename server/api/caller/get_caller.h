// GetCaller: the caller's identity and rights.
#ifndef PRIORITYD_SERVER_API_CALLER_GET_CALLER_H_
#define PRIORITYD_SERVER_API_CALLER_GET_CALLER_H_

#include "absl/status/status.h"
#include "priority/v1/caller.pb.h"
#include "server/recalculation/snapshot_registry.h"
#include "server/transport/boundary.h"
#include "server/transport/caller.h"

namespace priorityd::rpc {

// Returns the caller as authenticated by the boundary, and the rows of the rights table that allow
// the caller's calls. INVALID_ARGUMENT; NOT_FOUND (UNKNOWN_CLUSTER) for a named cluster. If none is
// named and there are several, returns what applies in all of them.
absl::Status GetCaller(const Boundary& boundary, const recalculation::SnapshotRegistry& registry,
                       const Caller& caller, const ::priority::v1::GetCallerRequest& request,
                       ::priority::v1::Caller* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_CALLER_GET_CALLER_H_
