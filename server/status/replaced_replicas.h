// Filters replicas that a later process has replaced.
#ifndef PRIORITYD_SERVER_STATUS_REPLACED_REPLICAS_H_
#define PRIORITYD_SERVER_STATUS_REPLACED_REPLICAS_H_

#include <vector>

#include "storage/snapshots/replica_store.h"

namespace priorityd::status {

// `replicas` without those whose address, on the same host, belongs to a replica that started
// later: of two processes at one address, the earlier one must have ended. The host is part of
// DatabaseOptions::application_name; addresses alone do not suffice, since hosts share some (a Unix
// socket, 127.0.0.1).
std::vector<storage::Replica> WithoutReplaced(const std::vector<storage::Replica>& replicas);

}  // namespace priorityd::status

#endif  // PRIORITYD_SERVER_STATUS_REPLACED_REPLICAS_H_
