// What a call has that tells of a cluster's configuration.
#ifndef PRIORITYD_SERVER_RPC_TELLING_H_
#define PRIORITYD_SERVER_RPC_TELLING_H_

#include <string>

#include "server/recalculation/snapshot_registry.h"
#include "server/rpc/caller.h"
#include "storage/database.h"

namespace priorityd::rpc {

struct Telling {
  storage::Database& database;
  const recalculation::SnapshotRegistry& registry;
  const Caller& caller;
  const std::string& cluster;  // Its name.
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_TELLING_H_
