// The user of this host who opened a connection to it.
#ifndef PRIORITYD_SERVER_HTTP_PEER_OWNER_H_
#define PRIORITYD_SERVER_HTTP_PEER_OWNER_H_

#include <sys/types.h>

#include <boost/asio/ip/tcp.hpp>
#include <optional>

namespace priorityd::http {

// The uid of the socket `peer` that is connected with the socket `own` of this process, both on
// this host, as the kernel reports it (sock_diag(7)). Nullopt if the peer is on another host, has
// closed its socket, or the kernel does not report it. Asks for one socket, however many there are.
// Logs once per process if the host refuses the question.
std::optional<uid_t> OwnerOf(const boost::asio::ip::tcp::endpoint& peer,
                             const boost::asio::ip::tcp::endpoint& own);

}  // namespace priorityd::http

#endif  // PRIORITYD_SERVER_HTTP_PEER_OWNER_H_
