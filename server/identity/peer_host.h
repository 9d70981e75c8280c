// The host behind a peer's address, by which callers are counted and limited.
#ifndef PRIORITYD_SERVER_IDENTITY_PEER_HOST_H_
#define PRIORITYD_SERVER_IDENTITY_PEER_HOST_H_

#include <string>

#include "absl/strings/string_view.h"

namespace priorityd::identity {

// The address itself; for IPv6 its network of 64 bits, since one host may have all of its
// addresses: `10.0.0.1`, `2001:db8:1:2::/64`, `::1`. IPv4 in IPv6 (`::ffff:10.0.0.1`) is IPv4. What
// is no address is returned as it is.
std::string HostOfAddress(absl::string_view address);

// The same of a peer's name in gRPC's form: `10.0.0.1` of `ipv4:10.0.0.1:54321`. Others, such as
// `unix:/run/priorityd.sock`, are returned as they are.
std::string HostOfPeer(absl::string_view peer);

}  // namespace priorityd::identity

#endif  // PRIORITYD_SERVER_IDENTITY_PEER_HOST_H_
