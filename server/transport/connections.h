// Counts the open connections of clients.
#ifndef PRIORITYD_SERVER_TRANSPORT_CONNECTIONS_H_
#define PRIORITYD_SERVER_TRANSPORT_CONNECTIONS_H_

#include <cstddef>

namespace priorityd::rpc {

// CountConnections stops counting here.
inline constexpr size_t kMostConnectionsCounted = 100'000;

// For all gRPC servers of this process, from gRPC's channelz.
size_t CountConnections();

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_TRANSPORT_CONNECTIONS_H_
