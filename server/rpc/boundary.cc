#include "server/rpc/boundary.h"

#include <google/protobuf/descriptor.h>
#include <grpcpp/security/auth_context.h>
#include <grpcpp/server_context.h>

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "server/errors/error_details.h"
#include "server/rpc/call.h"
#include "server/rpc/viewer.h"

namespace priorityd::rpc {
namespace {

using authorization::Role;
using authorization::RoleSet;
using authorization::Rpc;
using authorization::Visibility;
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

void Boundary::Pass(Rpc rpc, const std::string& cluster, grpc::CallbackServerContext* context,
                    Then then) {
  std::string peer = context->peer();
  if (options_.authenticator == nullptr) return then(Anybody(std::move(peer)));
  Presented presented = PresentedBy(*context);
  if (!identity::Authenticator::Waits(presented)) {
    return then(Identify(rpc, cluster, presented, std::move(peer)));
  }
  const bool taken =
      proving_.TrySchedule([=, this] { then(Identify(rpc, cluster, presented, peer)); });
  if (!taken) then(BusyError());
}

absl::StatusOr<Caller> Boundary::Identify(Rpc rpc, const std::string& cluster,
                                          const Presented& presented, std::string peer) const {
  absl::StatusOr<identity::Principal> principal = options_.authenticator->Identify(presented);
  if (!principal.ok()) return principal.status();
  Caller caller{*std::move(principal), {}, std::move(peer)};
  SetRoles(cluster, &caller);
  if (absl::Status s = Check(rpc, caller); !s.ok()) return s;
  caller.visibility = VisibilityIn(rpc, caller, cluster);
  return caller;
}

void Boundary::SetRoles(const std::string& cluster, Caller* caller) const {
  caller->roles = caller->principal.roles;
  caller->coordinated.clear();
  caller->visibility = nullptr;
  const std::string user = caller->user();
  if (user.empty()) return;
  const auto name = options_.registry->Resolve({cluster.data(), cluster.size()});
  if (!name.ok()) return;
  configuration::AssociationRights rights = options_.association_roles->Find(*name, user);
  caller->roles.Add(rights.roles);
  caller->coordinated = std::move(rights.coordinated);
}

std::shared_ptr<const Visibility> Boundary::VisibilityIn(Rpc rpc, const Caller& caller,
                                                         const std::string& cluster) const {
  const authorization::PrivateData& tells = authorization::RightOf(rpc).tells;
  if (!tells.any() || caller.roles.HasAnyOf(authorization::kSeeAll)) return nullptr;
  const auto snapshot = options_.registry->Find({cluster.data(), cluster.size()});
  if (snapshot.ok()) return VisibilityOf(tells, caller.user(), caller.coordinated, **snapshot);
  // Nobody knows yet what is private.
  return std::make_shared<const Visibility>(tells, authorization::Viewer());
}

bool Boundary::Hides(Rpc rpc, const Caller& caller, const std::string& cluster) const {
  if (caller.roles.HasAnyOf(authorization::kSeeAll)) return false;
  const auto snapshot = options_.registry->Find({cluster.data(), cluster.size()});
  return !snapshot.ok() || HiddenBy((*snapshot)->policy(), authorization::RightOf(rpc).tells).any();
}

std::shared_ptr<const Visibility> Boundary::ShownTo(const std::string& user, Rpc rpc,
                                                    const priority::Snapshot& snapshot) const {
  const auto rights = options_.association_roles->Find(snapshot.cluster().name, user);
  return VisibilityOf(authorization::RightOf(rpc).tells, user, rights.coordinated, snapshot);
}

absl::Status Boundary::Check(Rpc rpc, const Caller& caller) const {
  RoleSet here = caller.roles;
  if (authorization::RightOf(rpc).scope == authorization::Scope::kContent &&
      caller.principal.is_user()) {
    here.Add(options_.association_roles->FindInAny(caller.principal.name));
  }
  return CheckRight(rpc, here, caller.ToString());
}

absl::StatusOr<Caller> Boundary::PassAgain(Rpc rpc, const Caller& caller,
                                           const std::string& cluster) const {
  if (options_.authenticator == nullptr) return caller;
  auto principal = options_.authenticator->IdentifyAgain(caller.principal);
  if (!principal.ok()) return principal.status();
  Caller now = caller;
  now.principal = *std::move(principal);
  SetRoles(cluster, &now);
  if (absl::Status s = Check(rpc, now); !s.ok()) return s;
  return now;
}

absl::StatusOr<Caller> Boundary::OnBehalfOf(const std::string& user, const Caller& caller,
                                            const std::string& cluster) const {
  if (!caller.speaks_for_all() && user != caller.user()) {
    return errors::WithReason(
        absl::PermissionDeniedError(absl::StrCat(
            "on_behalf_of: got another user than ", caller.ToString(), " with the role ",
            caller.roles.ToString(), ", want one of operator, administrator, frontend")),
        "ROLE_REQUIRED");
  }
  Caller speaks = caller;
  speaks.on_behalf_of = user;
  speaks.principal.roles = {Role::kUser};
  SetRoles(cluster, &speaks);
  speaks.visibility = VisibilityIn(Rpc::kUpdateJobs, speaks, cluster);
  return speaks;
}

absl::Status Boundary::CheckCluster(Rpc rpc, const Caller& caller,
                                    const std::string& cluster) const {
  Caller here = caller;
  SetRoles(cluster, &here);
  return CheckRight(rpc, here.roles, caller.ToString());
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
