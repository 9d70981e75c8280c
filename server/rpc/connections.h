// The connections that clients have open.
#ifndef PRIORITYD_SERVER_RPC_CONNECTIONS_H_
#define PRIORITYD_SERVER_RPC_CONNECTIONS_H_

#include <cstddef>

namespace priorityd::rpc {

// CountConnections counts no further.
inline constexpr size_t kMostConnectionsCounted = 100'000;

// Of all gRPC servers of this process, as gRPC's channelz knows them.
size_t CountConnections();

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_CONNECTIONS_H_
