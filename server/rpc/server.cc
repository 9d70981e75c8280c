#include "server/rpc/server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace priorityd::rpc {
namespace {

constexpr const char* kServiceNames[] = {"priority.v1.PriorityService", "priority.v1.AdminService"};

}  // namespace

Server::Server(std::unique_ptr<grpc::Server> server, std::string address)
    : server_(std::move(server)), address_(std::move(address)) {}

Server::~Server() { Drain(absl::ZeroDuration()); }

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options,
                                                      const std::vector<grpc::Service*>& services) {
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  // Else a second server would share the port without a word.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.SetMaxReceiveMessageSize(options.max_message_bytes);
  builder.SetMaxSendMessageSize(options.max_message_bytes);
  int port = 0;
  builder.AddListeningPort(options.listen, grpc::InsecureServerCredentials(), &port);
  for (grpc::Service* service : services) builder.RegisterService(service);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr || port == 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("--listen: got ", options.listen,
                     ", want a host:port of this machine that no other program listens on"));
  }
  std::string address =
      absl::StrCat(options.listen.substr(0, options.listen.rfind(':')), ":", port);
  std::unique_ptr<Server> started(new Server(std::move(server), std::move(address)));
  started->SetServing(true);
  return started;
}

void Server::SetServing(bool serving) {
  grpc::HealthCheckServiceInterface* health = server_->GetHealthCheckService();
  health->SetServingStatus(serving);
  for (const char* name : kServiceNames) health->SetServingStatus(name, serving);
}

void Server::SetServing(const std::string& part, bool serving) {
  server_->GetHealthCheckService()->SetServingStatus(part, serving);
}

void Server::Drain(absl::Duration patience) {
  if (server_ == nullptr) return;
  server_->GetHealthCheckService()->Shutdown();
  server_->Shutdown(absl::ToChronoTime(absl::Now() + patience));
  server_->Wait();
  server_.reset();
}

}  // namespace priorityd::rpc
