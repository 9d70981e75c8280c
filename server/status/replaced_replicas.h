// Replicas that another process replaced.
#ifndef PRIORITYD_SERVER_STATUS_REPLACED_REPLICAS_H_
#define PRIORITYD_SERVER_STATUS_REPLACED_REPLICAS_H_

#include <vector>

#include "storage/replica_store.h"

namespace priorityd::status {

// `replicas` without those whose address, on the same host, belongs to a replica that started
// later: of two processes at one address the earlier one has ended, however it ended. The host is
// that of DatabaseOptions::application_name, since hosts may have the same addresses (a Unix
// socket, 127.0.0.1).
std::vector<storage::Replica> WithoutReplaced(const std::vector<storage::Replica>& replicas);

}  // namespace priorityd::status

#endif  // PRIORITYD_SERVER_STATUS_REPLACED_REPLICAS_H_
