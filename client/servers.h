// One service at several addresses.
#ifndef PRIORITYD_CLIENT_SERVERS_H_
#define PRIORITYD_CLIENT_SERVERS_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "grpcpp/channel.h"

namespace priorityd::client {

// Whether the channel is connected, or will be within `wait`; a lost connection has 50 ms in any
// case: calls on it fail at once, and without calls gRPC reads its sockets only every 5 s.
inline bool Connects(grpc::Channel& channel, std::chrono::milliseconds wait) {
  const auto now = std::chrono::system_clock::now();
  const auto deadline = now + wait;
  grpc_connectivity_state state = channel.GetState(/*try_to_connect=*/true);
  if (state == GRPC_CHANNEL_TRANSIENT_FAILURE) {
    channel.WaitForStateChange(state, now + std::chrono::milliseconds(50));
    state = channel.GetState(true);
  }
  while (state != GRPC_CHANNEL_READY) {
    if (state == GRPC_CHANNEL_TRANSIENT_FAILURE || state == GRPC_CHANNEL_SHUTDOWN) return false;
    if (!channel.WaitForStateChange(state, deadline)) return false;
    state = channel.GetState(true);
  }
  return true;
}

// The stubs of replicas; each can answer every call. Thread-safe.
template <typename Stub>
class Servers {
 public:
  struct Server {
    std::shared_ptr<grpc::Channel> channel;
    std::unique_ptr<Stub> stub;
  };

  // REQUIRES: at least one.
  explicit Servers(std::vector<Server> servers) : servers_(std::move(servers)) {}

  // The server that answered last while it is connected, else the next that connects. A single
  // server is not waited for.
  Stub& Live() const { return *LiveServer().stub; }
  const Server& LiveServer() const {
    const std::chrono::milliseconds patience(servers_.size() > 1 ? 1000 : 0);
    const size_t last = last_;
    for (size_t i = 0; i < servers_.size(); ++i) {
      const size_t next = (last + i) % servers_.size();
      if (!Connects(*servers_[next].channel, patience)) continue;
      last_ = next;
      return servers_[next];
    }
    return servers_[last];
  }

 private:
  const std::vector<Server> servers_;
  mutable std::atomic<size_t> last_ = 0;
};

}  // namespace priorityd::client

#endif  // PRIORITYD_CLIENT_SERVERS_H_
