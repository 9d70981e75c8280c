// The boundary that every call passes before anything is done for it.
#ifndef PRIORITYD_SERVER_RPC_BOUNDARY_H_
#define PRIORITYD_SERVER_RPC_BOUNDARY_H_

#include <google/protobuf/message.h>
#include <grpcpp/support/server_callback.h>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "server/authorization/rights_table.h"
#include "server/authorization/visibility.h"
#include "server/configuration/association_roles.h"
#include "server/identity/authenticator.h"
#include "server/priority/snapshot.h"
#include "server/recalculation/snapshot_registry.h"
#include "server/rpc/admission.h"
#include "server/rpc/call_report.h"
#include "server/rpc/caller.h"
#include "server/rpc/site_proxy.h"
#include "server/rpc/unchanged.h"
#include "server/rpc/worker_pool.h"
#include "server/threads/clock.h"

namespace priorityd::rpc {

// Thread-safe.
class Boundary {
 public:
  struct Options {
    // Null = whoever reaches the service administers it.
    identity::Authenticator* authenticator = nullptr;
    const configuration::AssociationRoles* association_roles;
    const recalculation::SnapshotRegistry* registry;
    Admission* admission;
    // Told of each call that has ended.
    CallObservers observers;
    // What rates are measured by.
    threads::Clock clock = threads::RunningTime;
    // Whose word on its clients is taken.
    SiteProxy proxy;
  };
  using Then = std::function<void(absl::StatusOr<Caller>)>;

  // What the options point to must outlive the boundary.
  explicit Boundary(Options options) : options_(std::move(options)) {}

  // A call that comes, of which nothing is known but its head.
  OngoingCall Begin(authorization::Rpc rpc, const grpc::CallbackServerContext& context) const {
    return OngoingCall(options_.observers, rpc, context);
  }

  // Calls `then` once, with who calls as the head of the call proves it, or with why that is not
  // taken: UNAUTHENTICATED, UNAVAILABLE where munged does not answer, RESOURCE_EXHAUSTED:
  // SERVER_BUSY when too many calls wait for it, RATE_LIMITED when too many proofs over the
  // connection were not taken. At once, on this thread, unless a proof makes it wait for another
  // process. `call` learns who calls, and must live until then. The caller has no roles yet but
  // those of the principal.
  void Prove(OngoingCall* call, grpc::CallbackServerContext* context, Then then);

  // Whether a caller who was proved may make the call, whose cluster is known by now:
  // PERMISSION_DENIED, RESOURCE_EXHAUSTED (RATE_LIMITED) for calls more often than the auth file
  // allows; Unchanged() where a relayed client has the answer.
  absl::StatusOr<Caller> Authorize(const OngoingCall& call, grpc::CallbackServerContext* context,
                                   Caller caller);

  // Whether what came with a request over HTTP proves who sends it, before its body is read; waits
  // for munged where it must, and keeps what that takes only once for the call that the request
  // becomes. Errors of Prove.
  absl::Status CheckProof(const identity::Presented& presented, const std::string& peer)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Whether a caller who passed for `rpc` may do it in this cluster: for what
  // authorization::Scope::kContent names. Empty = the only one there is.
  absl::Status CheckCluster(authorization::Rpc rpc, const Caller& caller,
                            const std::string& cluster) const;

  // The same caller as they are in this cluster; without `visibility`.
  Caller In(const std::string& cluster, const Caller& caller) const {
    Caller here = caller;
    if (options_.authenticator != nullptr) SetRoles(cluster, &here);
    return here;
  }

  // A caller who passed for `rpc` some time ago, with the roles that she has now; without
  // `visibility`. UNAUTHENTICATED (TOKEN_EXPIRED), PERMISSION_DENIED (ROLE_REQUIRED).
  absl::StatusOr<Caller> PassAgain(authorization::Rpc rpc, const Caller& caller,
                                   const std::string& cluster) const;

  // Whether a caller with these roles would pass for `rpc`.
  bool MayCall(authorization::Rpc rpc, const Caller& caller) const;

  // Whether something of what `rpc` tells of this cluster is kept from the caller now.
  bool Hides(authorization::Rpc rpc, const Caller& caller, const std::string& cluster) const;
  // What a user (empty = nobody in the association data) is shown of it who has no role that sees
  // all; null = everything.
  std::shared_ptr<const authorization::Visibility> ShownTo(
      const std::string& user, authorization::Rpc rpc, const priority::Snapshot& snapshot) const;

  // The caller as one who has the rights of `user` in this cluster, and no others. A user may speak
  // for herself only: PERMISSION_DENIED (ROLE_REQUIRED).
  absl::StatusOr<Caller> OnBehalfOf(const std::string& user, const Caller& caller,
                                    const std::string& cluster) const;

  Admission& admission() { return *options_.admission; }

  // What the threads that wait for munged are doing.
  PoolActivity proving() const { return proving_.activity(); }

 private:
  // Threads that wait for munged.
  static constexpr int kProvingThreads = 4;

  absl::StatusOr<Caller> Identify(OngoingCall* call, const identity::Presented& presented,
                                  std::string peer);
  absl::Status CheckMay(const OngoingCall& call, Caller* caller) const;
  // Sets what the caller is in this cluster.
  void SetRoles(const std::string& cluster, Caller* caller) const;
  std::shared_ptr<const authorization::Visibility> VisibilityIn(authorization::Rpc rpc,
                                                                const Caller& caller,
                                                                const std::string& cluster) const;
  // Those that count for `rpc`.
  authorization::RoleSet RolesFor(authorization::Rpc rpc, const Caller& caller) const;
  absl::StatusOr<identity::Principal> Try(const identity::Presented& presented,
                                          const std::string& peer) const;
  // Who a credential was of that CheckProof took before.
  std::optional<identity::Principal> TakeProved(const identity::Presented& presented)
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status CheckRate(authorization::Rpc rpc, authorization::RoleSet roles,
                         const Caller& caller) const;

  // Credentials that are kept for their calls, which come at once.
  static constexpr size_t kMaxProvedAhead = 64;

  const Options options_;
  absl::Mutex mutex_;
  std::deque<std::pair<std::string, identity::Principal>> proved_ahead_ ABSL_GUARDED_BY(mutex_);
  AnswerTags tags_{*options_.registry};
  WorkerPool proving_{kProvingThreads};
};

// What the metadata `authorization` and `x-slurm-user-token` present, or the certificate of the
// connection where both are empty.
identity::Presented PresentedBy(absl::string_view authorization, absl::string_view slurm_token,
                                std::vector<std::string> certificate_names);

// The cluster that a request names, in its field `cluster`; empty = none.
std::string ClusterOf(const google::protobuf::Message& request);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_BOUNDARY_H_
