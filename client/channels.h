// The channels of a client.
#ifndef PRIORITYD_CLIENT_CHANNELS_H_
#define PRIORITYD_CLIENT_CHANNELS_H_

#include <memory>
#include <string>
#include <vector>

#include "client/priority_client.h"
#include "grpcpp/channel.h"

namespace priorityd::client {

// To one address, with the options' bounds and credentials. Connects when it is first used.
std::shared_ptr<grpc::Channel> Connect(const ConnectOptions& options, const std::string& address);

// `a:1,b:2`; but for gRPC's own lists of addresses, such as ipv4:10.0.0.1:1,10.0.0.2:2.
std::vector<std::string> Addresses(const std::string& address);

}  // namespace priorityd::client

#endif  // PRIORITYD_CLIENT_CHANNELS_H_
