// Answers that are the same as long as the snapshot is: whoever has one need not be told again.
#ifndef PRIORITYD_SERVER_RPC_UNCHANGED_H_
#define PRIORITYD_SERVER_RPC_UNCHANGED_H_

#include <grpcpp/server_context.h>

#include <string>

#include "absl/status/status.h"
#include "server/authorization/rights_table.h"
#include "server/recalculation/snapshot_registry.h"
#include "server/rpc/caller.h"

namespace priorityd::rpc {

// Of a relayed call: the tag that the client has, and in the initial metadata the one that the
// answer has. A tag is of the snapshot, the caller and what she may see; the request is not in it.
inline constexpr char kKnownTagMetadata[] = "priorityd-known-tag";
inline constexpr char kTagMetadata[] = "priorityd-tag";
// In the initial metadata where nothing has changed; the answer is then empty.
inline constexpr char kUnchangedMetadata[] = "priorityd-unchanged";

// Adds the tag of the answer to the call's initial metadata, for RPCs that answer from the snapshot
// alone. False where it is the one that the client has: the call is to end with an empty answer.
bool TagAnswer(authorization::Rpc rpc, const Caller& caller, const std::string& cluster,
               const recalculation::SnapshotRegistry& registry,
               grpc::CallbackServerContext* context);

// What Boundary::Authorize says then instead of a caller, and whether it did.
absl::Status Unchanged();
bool IsUnchanged(const absl::Status& status);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_UNCHANGED_H_
