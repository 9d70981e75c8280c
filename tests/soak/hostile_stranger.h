// Somebody who proves nothing.
#ifndef PRIORITYD_TESTS_SOAK_HOSTILE_STRANGER_H_
#define PRIORITYD_TESTS_SOAK_HOSTILE_STRANGER_H_

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "grpcpp/channel.h"
#include "tests/soak/hostile_load.h"
#include "tests/soak/hostile_socket.h"

namespace priorityd::soak {

// Sends messages of some MiB that are thousands of times as large in memory, by gRPC and by HTTP,
// and keeps connections on which nothing is said. Every answer is UNAUTHENTICATED, or there is
// none.
class HostileStranger : public HostileLoad {
 public:
  explicit HostileStranger(const LoadOptions& options);

 protected:
  void Step() override;

 private:
  void SendMessages();
  void SendBodies();
  void OpenConnections();

  std::vector<std::shared_ptr<grpc::Channel>> channels_;  // One for each replica.
  std::deque<HostileSocket> silent_;
};

}  // namespace priorityd::soak

#endif  // PRIORITYD_TESTS_SOAK_HOSTILE_STRANGER_H_
