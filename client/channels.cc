#include "client/channels.h"

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "grpcpp/create_channel.h"

namespace priorityd::client {

std::shared_ptr<grpc::Channel> Connect(const ConnectOptions& options, const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(options.max_message_bytes);
  arguments.SetMaxSendMessageSize(options.max_message_bytes);
  // http_proxy is for the way out of a site; priorityd stands inside it.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // gRPC's own second between two attempts to connect is longer than a person's
  // patience and than our own waits.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 5000);
  auto credentials = options.credentials ? options.credentials : grpc::InsecureChannelCredentials();
  return grpc::CreateCustomChannel(address, credentials, arguments);
}

std::vector<std::string> Addresses(const std::string& address) {
  if (absl::StartsWith(address, "ipv4:") || absl::StartsWith(address, "ipv6:")) return {address};
  return absl::StrSplit(address, ',');
}

}  // namespace priorityd::client
