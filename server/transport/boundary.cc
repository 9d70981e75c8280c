#include "server/transport/boundary.h"

#include <google/protobuf/descriptor.h>
#include <grpcpp/security/auth_context.h>
#include <grpcpp/server_context.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "engine/errors/error_details.h"
#include "server/identity/peer_host.h"
#include "server/transport/call.h"
#include "server/transport/relayed_peer.h"
#include "server/transport/unchanged.h"
#include "server/transport/viewer.h"

namespace priorityd::rpc {
namespace {

using authorization::Role;
using authorization::RoleSet;
using authorization::Rpc;
using authorization::Visibility;
using identity::Presented;

// Roles without rate limits: services and those that keep the site running.
constexpr RoleSet kUnlimited = {Role::kOperator, Role::kAdministrator, Role::kCollector,
                                Role::kFrontend, Role::kDashboard,     Role::kProvisioner};

// Adds the roles in this cluster.
void AddBound(const std::string& cluster, Caller* caller) {
  const RoleSet unbound = caller->roles;
  for (const identity::BoundRoles& line : caller->principal.bound) {
    const auto& clusters = line.clusters;
    const bool here =
        clusters.empty() || std::find(clusters.begin(), clusters.end(), cluster) != clusters.end();
    if (!here) continue;
    caller->roles.Add(line.roles);
    if (line.sources.empty()) continue;
    caller->by_source.push_back({line.roles.Without(unbound), {}, line.sources});
  }
}

absl::Status RateLimited(absl::string_view message, absl::Duration wait) {
  return errors::WithRetryDelay(
      errors::WithReason(absl::ResourceExhaustedError(
                             absl::StrCat(message, "; retry in ", absl::FormatDuration(wait))),
                         "RATE_LIMITED"),
      wait);
}

Caller Anybody(std::string peer) {
  return {{identity::kUserKind, "anonymous", "nothing proved", {Role::kAdministrator}},
          authorization::kEverybody,
          std::move(peer)};
}

absl::string_view View(const grpc::string_ref& text) { return {text.data(), text.size()}; }

// Alternative names first: certificates are meant to name peers by them.
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

absl::string_view Metadata(const grpc::CallbackServerContext& context, const char* name) {
  const auto found = context.client_metadata().find(name);
  return found == context.client_metadata().end() ? absl::string_view() : View(found->second);
}

Presented PresentedBy(const grpc::CallbackServerContext& context,
                      const std::optional<RelayedPeer>& relayed) {
  Presented presented = rpc::PresentedBy(
      Metadata(context, "authorization"), Metadata(context, "x-slurm-user-token"),
      relayed.has_value() ? relayed->session : std::nullopt,
      relayed.has_value() ? relayed->certificate_names : CertificateNames(context));
  presented.over_unix_socket = !relayed.has_value() && absl::StartsWith(context.peer(), "unix:");
  return presented;
}

}  // namespace

void Boundary::Prove(OngoingCall* call, grpc::CallbackServerContext* context, Then then) {
  if (options_.is_open != nullptr && !options_.is_open()) {
    return then(absl::UnavailableError("priorityd is starting; retry"));
  }
  std::optional<RelayedPeer> relayed = RelayedPeerOf(*context);
  if (!relayed.has_value()) {
    absl::StatusOr<std::optional<RelayedPeer>> client = options_.proxy.ClientOf(*context);
    if (!client.ok()) return then(client.status());
    relayed = *std::move(client);
  }
  std::string peer = relayed.has_value() ? relayed->address : context->peer();
  if (options_.authenticator == nullptr) return then(Anybody(std::move(peer)));
  Presented presented = PresentedBy(*context, relayed);
  if (options_.proxy.is_there()) presented.over_unix_socket = false;
  if (!identity::Authenticator::Waits(presented)) {
    return then(Identify(call, presented, std::move(peer)));
  }
  const bool taken = options_.proving->TrySchedule(
      peer, [=, this] { return then(Identify(call, presented, peer)), true; });
  if (!taken) then(BusyError());
}

absl::StatusOr<Caller> Boundary::Identify(OngoingCall* call, const Presented& presented,
                                          std::string peer) {
  const auto ahead = TakeProved(presented);
  const auto principal = ahead.has_value() ? *ahead : Try(presented, peer);
  if (!principal.ok()) return principal.status();
  call->SetPrincipal(*principal);
  return Caller{*principal, {}, std::move(peer)};
}

absl::Status Boundary::CheckRateAhead(Rpc rpc, const Caller& caller) const {
  if (options_.authenticator == nullptr) return absl::OkStatus();
  const auto verdict =
      options_.authenticator->calls().Look(caller.principal.qualified(), options_.clock());
  if (verdict.allowed()) return absl::OkStatus();
  const Caller anywhere = InAny(caller);
  return CheckRate(rpc, anywhere.roles, anywhere);
}

quotas::Holder Boundary::HolderAhead(const Caller& caller) const {
  return options_.authenticator == nullptr ? caller.holder() : InAny(caller).holder();
}

Caller Boundary::InAny(const Caller& caller) const {
  Caller anywhere = caller;
  anywhere.roles = caller.principal.roles;
  anywhere.roles = RolesInAny(anywhere);
  return anywhere;
}

absl::StatusOr<Caller> Boundary::Authorize(const OngoingCall& call,
                                           grpc::CallbackServerContext* context, Caller caller) {
  if (options_.authenticator != nullptr) {
    if (absl::Status s = CheckMay(call, &caller); !s.ok()) return s;
  }
  const bool is_new = !RelayedPeerOf(*context).has_value() ||
                      tags_.Add(call.rpc(), caller, call.cluster(), context);
  if (!is_new) return Unchanged();
  return caller;
}

absl::Status Boundary::CheckMay(const OngoingCall& call, Caller* caller) const {
  SetRoles(call.cluster(), caller);
  const RoleSet roles = RolesFor(call.rpc(), *caller);
  if (absl::Status s = CheckRate(call.rpc(), roles, *caller); !s.ok()) return s;
  absl::Status allowed = CheckRightIn(call.cluster(), call.rpc(), roles, *caller);
  if (!allowed.ok()) return allowed;
  caller->visibility = VisibilityIn(call.rpc(), *caller, call.cluster());
  return absl::OkStatus();
}

absl::Status Boundary::CheckProof(const Presented& presented, const std::string& peer) {
  if (options_.authenticator == nullptr) return absl::OkStatus();
  auto principal = Try(presented, peer);
  if (!principal.ok() || !identity::Authenticator::Waits(presented)) return principal.status();
  proved_ahead_.Keep(presented.credential, *std::move(principal), options_.clock());
  return absl::OkStatus();
}

std::optional<absl::StatusOr<identity::Principal>> Boundary::TakeProved(
    const Presented& presented) {
  if (!identity::Authenticator::Waits(presented)) return std::nullopt;
  const auto proved = proved_ahead_.Take(presented.credential, options_.clock());
  if (!proved.has_value()) return std::nullopt;
  return options_.authenticator->IdentifyAgain(*proved);
}

void Boundary::SetRoles(const std::string& cluster, Caller* caller) const {
  caller->roles = caller->principal.roles;
  caller->coordinated.clear();
  caller->by_source.clear();
  caller->visibility = nullptr;
  const auto name = options_.registry->Resolve({cluster.data(), cluster.size()});
  const std::string user = caller->user();
  if (name.ok() && !user.empty()) {
    configuration::AssociationRights rights = options_.association_roles->Find(*name, user);
    caller->roles.Add(rights.roles);
    caller->coordinated = std::move(rights.coordinated);
  }
  // A cluster that does not exist yet has the requested name.
  AddBound(name.value_or(cluster), caller);
}

std::shared_ptr<const Visibility> Boundary::VisibilityIn(Rpc rpc, const Caller& caller,
                                                         const std::string& cluster) const {
  const authorization::PrivateData& reveals = authorization::RightOf(rpc).reveals;
  if (!reveals.any() || caller.roles.HasAnyOf(authorization::kSeeAll)) return nullptr;
  const auto snapshot = options_.registry->Find({cluster.data(), cluster.size()});
  if (snapshot.ok()) return VisibilityOf(reveals, caller.user(), caller.coordinated, **snapshot);
  // Without a snapshot, what is private is unknown.
  return std::make_shared<const Visibility>(reveals, authorization::Viewer());
}

bool Boundary::Hides(Rpc rpc, const Caller& caller, const std::string& cluster) const {
  if (caller.roles.HasAnyOf(authorization::kSeeAll)) return false;
  const auto snapshot = options_.registry->Find({cluster.data(), cluster.size()});
  return !snapshot.ok() ||
         HiddenBy((*snapshot)->policy(), authorization::RightOf(rpc).reveals).any();
}

std::shared_ptr<const Visibility> Boundary::ShownTo(const std::string& user, Rpc rpc,
                                                    const priority::Snapshot& snapshot) const {
  const auto rights = options_.association_roles->Find(snapshot.cluster().name, user);
  return VisibilityOf(authorization::RightOf(rpc).reveals, user, rights.coordinated, snapshot);
}

RoleSet Boundary::RolesFor(Rpc rpc, const Caller& caller) const {
  const bool is_of_content = authorization::RightOf(rpc).scope == authorization::Scope::kContent;
  return is_of_content ? RolesInAny(caller) : caller.roles;
}

RoleSet Boundary::RolesInAny(const Caller& caller) const {
  RoleSet roles = caller.roles;
  if (caller.principal.is_user()) {
    roles.Add(options_.association_roles->FindInAny(caller.principal.name));
  }
  for (const identity::BoundRoles& line : caller.principal.bound) roles.Add(line.roles);
  return roles;
}

bool Boundary::MayCall(Rpc rpc, const Caller& caller) const {
  return RolesFor(rpc, caller).HasAnyOf(authorization::RightOf(rpc).roles);
}

absl::StatusOr<Caller> Boundary::PassAgain(Rpc rpc, const Caller& caller,
                                           const std::string& cluster) const {
  if (options_.authenticator == nullptr) return caller;
  auto principal = options_.authenticator->IdentifyAgain(caller.principal);
  if (!principal.ok()) return principal.status();
  Caller now = caller;
  now.principal = *std::move(principal);
  SetRoles(cluster, &now);
  absl::Status allowed = CheckRightIn(cluster, rpc, RolesFor(rpc, now), now);
  if (!allowed.ok()) return allowed;
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
  speaks.principal.bound.clear();
  SetRoles(cluster, &speaks);
  speaks.visibility = VisibilityIn(Rpc::kUpdateJobs, speaks, cluster);
  return speaks;
}

absl::StatusOr<identity::Principal> Boundary::Try(const Presented& presented,
                                                  const std::string& peer) const {
  identity::Authenticator& authenticator = *options_.authenticator;
  // Peers of a Unix socket cannot be distinguished, and a missing credential is no attempt to guess
  // one.
  const bool counts = !presented.over_unix_socket && presented.scheme != Presented::Scheme::kNone;
  if (!counts) return authenticator.Identify(presented);
  const auto failures = authenticator.failures().Look(peer, options_.clock());
  if (!failures.allowed() && !authenticator.IsKnown(presented)) {
    return RateLimited("credential: too many over this connection were not taken", failures.wait);
  }
  absl::StatusOr<identity::Principal> principal = authenticator.Identify(presented);
  if (absl::IsUnauthenticated(principal.status())) {
    authenticator.failures().Take(peer, identity::HostOfPeer(peer), options_.clock());
  }
  return principal;
}

absl::Status Boundary::CheckRate(Rpc rpc, RoleSet roles, const Caller& caller) const {
  if (roles.HasAnyOf(kUnlimited)) return absl::OkStatus();
  identity::TokenBuckets& calls = options_.authenticator->calls();
  const auto verdict =
      calls.Take(caller.principal.qualified(), identity::HostOfPeer(caller.peer), options_.clock());
  if (verdict.allowed()) return absl::OkStatus();
  const std::string message = absl::StrCat(authorization::NameOf(rpc), ": too many calls of ",
                                           caller.ToString(), ", ", calls.limits().Describe());
  if (verdict.log) spdlog::info("rate limit: {}", message);
  return RateLimited(message, verdict.wait);
}

absl::Status Boundary::CheckCluster(Rpc rpc, const Caller& caller,
                                    const std::string& cluster) const {
  Caller here = caller;
  SetRoles(cluster, &here);
  return CheckRightIn(cluster, rpc, here.roles, caller);
}

absl::Status Boundary::CheckRightIn(const std::string& cluster, Rpc rpc, RoleSet roles,
                                    const Caller& caller) const {
  absl::Status allowed = CheckRight(rpc, roles, caller.ToString());
  if (allowed.ok()) return allowed;
  // The roles that users have in a cluster move with it, so its cell decides, or are being read.
  absl::Status found = options_.registry->Resolve({cluster.data(), cluster.size()}).status();
  return absl::IsUnavailable(found) ? found : allowed;
}

Presented PresentedBy(absl::string_view authorization, absl::string_view slurm_token,
                      const std::optional<identity::Session>& session,
                      std::vector<std::string> certificate_names) {
  Presented presented;
  if (!authorization.empty()) {
    identity::ReadAuthorization(authorization, &presented);
  } else if (!slurm_token.empty()) {
    presented.scheme = Presented::Scheme::kBearer;
    presented.credential = std::string(slurm_token);
  } else if (session.has_value()) {
    presented.scheme = Presented::Scheme::kSession;
    presented.session = *session;
  } else {
    presented.certificate_names = std::move(certificate_names);
  }
  return presented;
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
