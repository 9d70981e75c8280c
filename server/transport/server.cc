#include "server/transport/server.h"

#include <grpc/grpc.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>

#include <algorithm>
#include <iterator>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "server/transport/reflection_service.h"
#include "server/transport/spare_file.h"

namespace priorityd::rpc {
namespace {

constexpr const char* kServiceNames[] = {"priority.v1.PriorityService", "priority.v1.AdminService"};

// A client without calls that pings more often than this is disconnected.
constexpr absl::Duration kLeastPingInterval = absl::Seconds(5);

void SetInt(const char* argument, int64_t value, grpc::ServerBuilder* builder) {
  builder->AddChannelArgument(argument, static_cast<int>(value));
}

void SetConnectionLimits(const ServerOptions& options, grpc::ServerBuilder* builder) {
  SetInt(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxCallsOfConnection, builder);
  SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, absl::ToInt64Milliseconds(options.keepalive_time), builder);
  SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, absl::ToInt64Milliseconds(options.keepalive_timeout),
         builder);
  SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1, builder);
  SetInt(GRPC_ARG_MAX_CONNECTION_IDLE_MS, absl::ToInt64Milliseconds(options.connection_idle),
         builder);
  // Otherwise only the first two pings would be sent to a silent peer.
  SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0, builder);
  SetInt(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
         absl::ToInt64Milliseconds(kLeastPingInterval), builder);
  SetInt(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, absl::ToInt64Milliseconds(options.handshake_timeout),
         builder);
  // Otherwise gRPC widens the windows of calls whose message has not been read yet.
  SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0, builder);
  SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, kBytesBeforeRead, builder);
  grpc::ResourceQuota quota("calls");
  builder->SetResourceQuota(quota.Resize(options.transport_bytes));
}

std::vector<std::string> ServedNames() {
  std::vector<std::string> names(std::begin(kServiceNames), std::end(kServiceNames));
  names.insert(names.end(), {"grpc.health.v1.Health", ReflectionService::kName});
  return names;
}

// An address to listen on, and the result.
struct Address {
  std::string asked;
  std::string socket;  // Empty = no Unix socket.
  int port = 0;        // Zero = could not be bound.

  std::string ToString() const {
    if (!socket.empty()) return asked;
    return absl::StrCat(asked.substr(0, asked.rfind(':')), ":", port);
  }
};

absl::Status CannotListen(const std::vector<Address>& addresses) {
  const auto failed = std::find_if(addresses.begin(), addresses.end(),
                                   [](const Address& address) { return address.port == 0; });
  const Address& one = failed == addresses.end() ? addresses.front() : *failed;
  return absl::FailedPreconditionError(absl::StrCat(
      "--listen: got ", one.asked,
      ", want a host:port of this machine, or unix:PATH, that no other program listens on"));
}

std::vector<Address> AddressesOf(const ServerOptions& options) {
  std::vector<Address> addresses;
  for (const std::string& asked : options.listen) addresses.push_back({asked, SocketPath(asked)});
  return addresses;
}

// The builder writes the ports into `addresses`.
absl::Status AddAddresses(const ServerOptions& options, std::vector<Address>* addresses,
                          grpc::ServerBuilder* builder) {
  auto credentials = MakeServerCredentials(options.tls);
  if (!credentials.ok()) return credentials.status();
  for (Address& address : *addresses) {
    builder->AddListeningPort(
        address.asked, address.socket.empty() ? *credentials : grpc::InsecureServerCredentials(),
        &address.port);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<grpc::Server>> BuildAndListen(const std::vector<Address>& addresses,
                                                             const SocketAccess& access,
                                                             grpc::ServerBuilder* builder) {
  for (const Address& address : addresses) {
    if (address.socket.empty()) continue;
    if (absl::Status s = CheckUnused(address.socket); !s.ok()) return s;
  }
  std::unique_ptr<grpc::Server> server;
  {
    const PrivateFiles until_granted;
    server = builder->BuildAndStart();
  }
  if (server == nullptr) return CannotListen(addresses);
  for (const Address& address : addresses) {
    if (address.socket.empty()) continue;
    if (absl::Status s = GrantAccess(address.socket, access); !s.ok()) return s;
  }
  return server;
}

}  // namespace

Server::Server(std::unique_ptr<grpc::Server> server, std::unique_ptr<grpc::Service> reflection,
               std::vector<std::string> addresses, const ServerOptions& options)
    : reflection_(std::move(reflection)),
      server_(std::move(server)),
      addresses_(std::move(addresses)),
      max_message_bytes_(options.max_message_bytes),
      admission_(options.admission) {}

Server::~Server() { Drain(absl::ZeroDuration()); }

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options,
                                                      const std::vector<grpc::Service*>& services) {
  KeepSpareFile();
  grpc::EnableDefaultHealthCheckService(true);
  grpc::ServerBuilder builder;
  // Otherwise a second server would silently share the port.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  SetConnectionLimits(options, &builder);
  builder.SetMaxReceiveMessageSize(options.max_message_bytes);
  // gRPC decompresses a whole message before it compares its size with any bound, also for the
  // health service, which asks for no proof.
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  builder.SetMaxSendMessageSize(options.max_message_bytes);
  std::vector<Address> addresses = AddressesOf(options);
  if (absl::Status s = AddAddresses(options, &addresses, &builder); !s.ok()) return s;
  for (grpc::Service* service : services) builder.RegisterService(service);
  auto reflection = std::make_unique<ReflectionService>(ServedNames());
  builder.RegisterService(reflection.get());
  auto server = BuildAndListen(addresses, options.socket_access, &builder);
  if (!server.ok()) return server.status();
  std::vector<std::string> names;
  for (const Address& address : addresses) names.push_back(address.ToString());
  std::unique_ptr<Server> started(
      new Server(*std::move(server), std::move(reflection), std::move(names), options));
  started->SetServing("", true);
  return started;
}

void Server::SetServing(const std::string& service, bool serving) {
  grpc::HealthCheckServiceInterface* health = server_->GetHealthCheckService();
  health->SetServingStatus(service, serving);
  if (!service.empty()) return;
  for (const char* name : kServiceNames) health->SetServingStatus(name, serving);
}

std::shared_ptr<grpc::Channel> Server::InProcessChannel() {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(max_message_bytes_);
  arguments.SetMaxSendMessageSize(max_message_bytes_);
  return server_->InProcessChannel(arguments);
}

void Server::Drain(absl::Duration patience) {
  if (server_ == nullptr) return;
  const absl::Time end = absl::Now() + patience;
  server_->GetHealthCheckService()->Shutdown();
  absl::Notification done;
  std::thread shutdown([&] {
    server_->Shutdown(absl::ToChronoTime(end));
    done.Notify();
  });
  if (!done.WaitForNotificationWithTimeout(std::min(patience, kFarewell))) {
    admission_->AwaitNone(end);
    // The remaining calls are pure listeners.
    grpc_server_cancel_all_calls(server_->c_server());
  }
  shutdown.join();
  server_->Wait();
  server_.reset();
}

}  // namespace priorityd::rpc
