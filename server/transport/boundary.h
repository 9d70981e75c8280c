// Authenticates and authorizes every call before any work for it.
#ifndef PRIORITYD_SERVER_TRANSPORT_BOUNDARY_H_
#define PRIORITYD_SERVER_TRANSPORT_BOUNDARY_H_

#include <google/protobuf/message.h>
#include <grpcpp/support/server_callback.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/authorization/rights_table.h"
#include "server/authorization/visibility.h"
#include "server/configuration/association_roles.h"
#include "server/identity/authenticator.h"
#include "server/recalculation/snapshot_registry.h"
#include "server/threads/clock.h"
#include "server/transport/admission.h"
#include "server/transport/call_report.h"
#include "server/transport/caller.h"
#include "server/transport/proved_ahead.h"
#include "server/transport/site_proxy.h"
#include "server/transport/unchanged.h"
#include "server/transport/worker_pool.h"

namespace priorityd::rpc {

// Thread-safe.
class Boundary {
 public:
  struct Options {
    // Null = every caller is an administrator.
    identity::Authenticator* authenticator = nullptr;
    const configuration::AssociationRoles* association_roles;
    const recalculation::SnapshotRegistry* registry;
    Admission* admission;
    // Notified of each finished call.
    CallObservers observers;
    // Measures rates.
    threads::Clock clock = threads::RunningTime;
    // The proxy trusted to identify its clients.
    SiteProxy proxy;
    WorkerPool* proving;  // Waits for munged.
    // False while the service starts; null = always true.
    std::function<bool()> is_open = nullptr;
  };
  using Then = std::function<void(absl::StatusOr<Caller>)>;

  // The objects that the options point to must outlive the boundary.
  explicit Boundary(Options options) : options_(std::move(options)) {}

  // An incoming call of which only the head is known.
  OngoingCall Begin(authorization::Rpc rpc, const grpc::CallbackServerContext& context) const {
    return OngoingCall(options_.observers, rpc, context);
  }

  // Authenticates the caller by the head of the call, and calls `then` once with the result or an
  // error: UNAUTHENTICATED; UNAVAILABLE while the service starts, or if munged does not answer;
  // RESOURCE_EXHAUSTED: SERVER_BUSY if too many calls wait for munged, RATE_LIMITED after too many
  // invalid credentials over the connection. Calls it at once on this thread, unless the proof
  // needs another process. Records the principal in `call`, which must live until then. The caller
  // only has the roles of the principal yet.
  void Prove(OngoingCall* call, grpc::CallbackServerContext* context, Then then);

  // Refuses an authenticated caller whose request need not be read, because its rate is used up in
  // every cluster: RESOURCE_EXHAUSTED (RATE_LIMITED).
  absl::Status CheckRateAhead(authorization::Rpc rpc, const Caller& caller) const;

  // The authenticated caller of a call whose cluster is unknown, for quotas: a service if it is one
  // in any cluster.
  quotas::Holder HolderAhead(const Caller& caller) const;

  // Authorizes an authenticated caller for the call, whose cluster is now known: PERMISSION_DENIED;
  // RESOURCE_EXHAUSTED (RATE_LIMITED) above the rate in the auth file; Unchanged() if a relayed
  // client already has the answer.
  absl::StatusOr<Caller> Authorize(const OngoingCall& call, grpc::CallbackServerContext* context,
                                   Caller caller);

  // Checks the credentials of an HTTP request before its body is read. May wait for munged; keeps
  // the result of a one-time credential for the call made from the request. Errors of Prove.
  absl::Status CheckProof(const identity::Presented& presented, const std::string& peer);

  // Whether a caller authorized for `rpc` may call it in this cluster, for
  // authorization::Scope::kContent. Empty = the only cluster.
  absl::Status CheckCluster(authorization::Rpc rpc, const Caller& caller,
                            const std::string& cluster) const;

  // The caller with the roles in this cluster; without `visibility`.
  Caller In(const std::string& cluster, const Caller& caller) const {
    Caller here = caller;
    if (options_.authenticator != nullptr) SetRoles(cluster, &here);
    return here;
  }

  // A caller authorized for `rpc` some time ago, with the present roles; without `visibility`.
  // UNAUTHENTICATED (TOKEN_EXPIRED), PERMISSION_DENIED (ROLE_REQUIRED).
  absl::StatusOr<Caller> PassAgain(authorization::Rpc rpc, const Caller& caller,
                                   const std::string& cluster) const;

  // Whether these roles authorize a caller for `rpc`.
  bool MayCall(authorization::Rpc rpc, const Caller& caller) const;

  // Whether part of the data that `rpc` returns for this cluster is hidden from the caller now.
  bool Hides(authorization::Rpc rpc, const Caller& caller, const std::string& cluster) const;
  // The visibility of a user (empty = not in the association data) without a role that sees all;
  // null = everything.
  std::shared_ptr<const authorization::Visibility> ShownTo(
      const std::string& user, authorization::Rpc rpc, const priority::Snapshot& snapshot) const;

  // The caller with exactly the rights of `user` in this cluster. Users may only act for
  // themselves: PERMISSION_DENIED (ROLE_REQUIRED).
  absl::StatusOr<Caller> OnBehalfOf(const std::string& user, const Caller& caller,
                                    const std::string& cluster) const;

  Admission& admission() { return *options_.admission; }

 private:
  absl::StatusOr<Caller> Identify(OngoingCall* call, const identity::Presented& presented,
                                  std::string peer);
  absl::Status CheckMay(const OngoingCall& call, Caller* caller) const;
  // Sets the caller's roles and identity in this cluster.
  void SetRoles(const std::string& cluster, Caller* caller) const;
  std::shared_ptr<const authorization::Visibility> VisibilityIn(authorization::Rpc rpc,
                                                                const Caller& caller,
                                                                const std::string& cluster) const;
  // The caller's roles, and those in any cluster.
  authorization::RoleSet RolesInAny(const Caller& caller) const;
  // An authenticated caller with the roles of the principal and those in any cluster.
  Caller InAny(const Caller& caller) const;
  // The roles that count for `rpc`.
  authorization::RoleSet RolesFor(authorization::Rpc rpc, const Caller& caller) const;
  // PERMISSION_DENIED, or CLUSTER_MOVED where the cluster has moved.
  absl::Status CheckRightIn(const std::string& cluster, authorization::Rpc rpc,
                            authorization::RoleSet roles, const Caller& caller) const;
  absl::StatusOr<identity::Principal> Try(const identity::Presented& presented,
                                          const std::string& peer) const;
  // The principal of a credential that CheckProof accepted before, with its present roles.
  std::optional<absl::StatusOr<identity::Principal>> TakeProved(
      const identity::Presented& presented);
  absl::Status CheckRate(authorization::Rpc rpc, authorization::RoleSet roles,
                         const Caller& caller) const;

  const Options options_;
  ProvedAhead proved_ahead_;
  AnswerTags tags_{*options_.registry};
};

// The credential in the metadata `authorization` and `x-slurm-user-token`; the session, or else the
// connection's certificate, if both are empty.
identity::Presented PresentedBy(absl::string_view authorization, absl::string_view slurm_token,
                                const std::optional<identity::Session>& session,
                                std::vector<std::string> certificate_names);

// The request's field `cluster`; empty = none.
std::string ClusterOf(const google::protobuf::Message& request);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_TRANSPORT_BOUNDARY_H_
