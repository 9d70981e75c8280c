#include "server/rpc/boundary.h"

#include <google/protobuf/descriptor.h>
#include <grpcpp/security/auth_context.h>
#include <grpcpp/server_context.h>

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "server/rpc/call.h"

namespace priorityd::rpc {
namespace {

using authorization::Role;
using authorization::RoleSet;
using authorization::Rpc;
using identity::Presented;

constexpr RoleSet kEveryRole = {Role::kUser,          Role::kCoordinator, Role::kOperator,
                                Role::kAdministrator, Role::kCollector,   Role::kFrontend,
                                Role::kDashboard};

Caller Anybody(std::string peer) {
  return {{identity::kUserKind, "anonymous", "nothing proved", {Role::kAdministrator}},
          kEveryRole,
          std::move(peer)};
}

absl::string_view View(const grpc::string_ref& text) { return {text.data(), text.size()}; }

// Alternative names first: they are what certificates are meant to name a peer by.
std::vector<std::string> CertificateNames(const grpc::CallbackServerContext& context) {
  std::vector<std::string> names;
  const std::shared_ptr<const grpc::AuthContext> peer = context.auth_context();
  if (peer == nullptr || !peer->IsPeerAuthenticated()) return names;
  for (const char* property : {"x509_subject_alternative_name", "x509_common_name"}) {
    for (const grpc::string_ref& name : peer->FindPropertyValues(property)) {
      names.emplace_back(name.data(), name.size());
    }
  }
  return names;
}

Presented PresentedBy(const grpc::CallbackServerContext& context) {
  Presented presented;
  const auto& metadata = context.client_metadata();
  const auto authorization = metadata.find("authorization");
  const auto slurm_token = metadata.find("x-slurm-user-token");
  if (authorization != metadata.end()) {
    identity::ReadAuthorization(View(authorization->second), &presented);
  } else if (slurm_token != metadata.end()) {
    presented.scheme = Presented::Scheme::kBearer;
    presented.credential = std::string(View(slurm_token->second));
  } else {
    presented.certificate_names = CertificateNames(context);
  }
  presented.over_unix_socket = absl::StartsWith(context.peer(), "unix:");
  return presented;
}

}  // namespace

void Boundary::Pass(OngoingCall* call, grpc::CallbackServerContext* context, Then then) {
  std::string peer = context->peer();
  if (options_.authenticator == nullptr) return then(Anybody(std::move(peer)));
  Presented presented = PresentedBy(*context);
  if (!identity::Authenticator::Waits(presented)) {
    return then(Identify(call, presented, std::move(peer)));
  }
  const bool taken = proving_.TrySchedule([=, this] { then(Identify(call, presented, peer)); });
  if (!taken) then(BusyError());
}

absl::StatusOr<Caller> Boundary::Identify(OngoingCall* call, const Presented& presented,
                                          std::string peer) const {
  absl::StatusOr<identity::Principal> principal = options_.authenticator->Identify(presented);
  if (!principal.ok()) return principal.status();
  call->SetPrincipal(*principal);
  Caller caller{*std::move(principal), {}, std::move(peer)};
  caller.roles = RolesOf(caller.principal, call->cluster());
  RoleSet here = caller.roles;
  if (authorization::RightOf(call->rpc()).scope == authorization::Scope::kContent &&
      caller.principal.is_user()) {
    here.Add(options_.association_roles->FindInAny(caller.principal.name));
  }
  if (absl::Status s = CheckRight(call->rpc(), here, caller.ToString()); !s.ok()) return s;
  return caller;
}

RoleSet Boundary::RolesOf(const identity::Principal& principal, const std::string& cluster) const {
  RoleSet roles = principal.roles;
  if (!principal.is_user()) return roles;
  const auto name = options_.registry->Resolve({cluster.data(), cluster.size()});
  if (name.ok()) roles.Add(options_.association_roles->Find(*name, principal.name).roles);
  return roles;
}

absl::Status Boundary::CheckCluster(Rpc rpc, const Caller& caller,
                                    const std::string& cluster) const {
  RoleSet roles = RolesOf(caller.principal, cluster);
  return CheckRight(rpc, roles, caller.ToString());
}

std::string ClusterOf(const google::protobuf::Message& request) {
  using google::protobuf::FieldDescriptor;
  const FieldDescriptor* field = request.GetDescriptor()->FindFieldByName("cluster");
  if (field == nullptr) return "";
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
    return request.GetReflection()->GetString(request, field);
  }
  // A whole Cluster, by its name.
  const google::protobuf::Message& cluster = request.GetReflection()->GetMessage(request, field);
  const FieldDescriptor* name = cluster.GetDescriptor()->FindFieldByName("name");
  return cluster.GetReflection()->GetString(cluster, name);
}

}  // namespace priorityd::rpc
