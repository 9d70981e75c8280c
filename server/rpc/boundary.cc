#include "server/rpc/boundary.h"

#include <google/protobuf/descriptor.h>
#include <grpcpp/security/auth_context.h>
#include <grpcpp/server_context.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "server/errors/error_details.h"
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

// Those whose calls no rate limits: services, and who keeps the site running.
constexpr RoleSet kUnlimited = {Role::kOperator, Role::kAdministrator, Role::kCollector,
                                Role::kFrontend, Role::kDashboard};

absl::Status RateLimited(absl::string_view message, absl::Duration wait) {
  return errors::WithRetryDelay(
      errors::WithReason(absl::ResourceExhaustedError(
                             absl::StrCat(message, "; try again in ", absl::FormatDuration(wait))),
                         "RATE_LIMITED"),
      wait);
}

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
  absl::StatusOr<identity::Principal> principal = Prove(presented, peer);
  if (!principal.ok()) return principal.status();
  Caller caller{*std::move(principal), {}, std::move(peer)};
  caller.roles = RolesOf(caller.principal, cluster);
  RoleSet here = caller.roles;
  if (authorization::RightOf(rpc).scope == authorization::Scope::kContent &&
      caller.principal.is_user()) {
    here.Add(options_.association_roles->FindInAny(caller.principal.name));
  }
  if (absl::Status s = CheckRate(rpc, here, caller); !s.ok()) return s;
  if (absl::Status s = CheckRight(rpc, here, caller.ToString()); !s.ok()) return s;
  return caller;
}

absl::StatusOr<identity::Principal> Boundary::Prove(const Presented& presented,
                                                    const std::string& peer) const {
  identity::Authenticator& authenticator = *options_.authenticator;
  // The peers of a Unix socket cannot be told apart, and nothing is no proof to be tried.
  const bool counts = !presented.over_unix_socket && presented.scheme != Presented::Scheme::kNone;
  if (!counts) return authenticator.Identify(presented);
  const auto failures = authenticator.failures().Look(peer, options_.clock());
  if (!failures.allowed() && !authenticator.IsKnown(presented)) {
    return RateLimited("credential: too many over this connection were not taken", failures.wait);
  }
  absl::StatusOr<identity::Principal> principal = authenticator.Identify(presented);
  if (absl::IsUnauthenticated(principal.status())) {
    authenticator.failures().Take(peer, options_.clock());
  }
  return principal;
}

absl::Status Boundary::CheckRate(Rpc rpc, RoleSet here, const Caller& caller) const {
  if (here.HasAnyOf(kUnlimited)) return absl::OkStatus();
  identity::TokenBuckets& calls = options_.authenticator->calls();
  const auto verdict = calls.Take(caller.principal.qualified(), options_.clock());
  if (verdict.allowed()) return absl::OkStatus();
  absl::string_view method = authorization::RightOf(rpc).method;
  method.remove_prefix(method.find('/') + 1);
  const std::string message = absl::StrCat(method, ": too many calls of ", caller.ToString(), ", ",
                                           calls.limits().Describe());
  if (verdict.log) spdlog::info("rate limit: {}", message);
  return RateLimited(message, verdict.wait);
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
