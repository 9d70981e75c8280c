// TCP keepalive on the connections of this host to itself.
#ifndef PRIORITYD_TESTS_KEEPALIVE_H_
#define PRIORITYD_TESTS_KEEPALIVE_H_

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>

#include "absl/time/time.h"

namespace priorityd {

// The side of a connection that has a port.
enum class PortOf { kSender, kPeer };

// The time until the next keepalive on a connection of 127.0.0.1 where this side has the port;
// nullopt = no such connection has one due. From /proc/net/tcp (proc_net_tcp of Linux).
inline std::optional<absl::Duration> NextKeepalive(PortOf side, int port) {
  constexpr unsigned kEstablished = 1, kKeepaliveTimer = 2;
  constexpr int64_t kTicksPerSecond = 100;  // USER_HZ
  std::ifstream table("/proc/net/tcp");
  for (std::string line; std::getline(table, line);) {
    unsigned local_port = 0, remote_port = 0, state = 0, timer = 0, ticks = 0;
    const int read = std::sscanf(line.c_str(), " %*d: %*x:%x %*x:%x %x %*x:%*x %x:%x", &local_port,
                                 &remote_port, &state, &timer, &ticks);
    const unsigned own = side == PortOf::kSender ? local_port : remote_port;
    if (read != 5 || own != static_cast<unsigned>(port)) continue;
    if (state == kEstablished && timer == kKeepaliveTimer) {
      return absl::Seconds(1) * ticks / kTicksPerSecond;
    }
  }
  return std::nullopt;
}
inline std::optional<absl::Duration> NextKeepaliveTo(int port) {
  return NextKeepalive(PortOf::kPeer, port);
}
inline std::optional<absl::Duration> NextKeepaliveFrom(int port) {
  return NextKeepalive(PortOf::kSender, port);
}

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_KEEPALIVE_H_
