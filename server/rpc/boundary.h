// The boundary that every call passes before anything is done for it.
#ifndef PRIORITYD_SERVER_RPC_BOUNDARY_H_
#define PRIORITYD_SERVER_RPC_BOUNDARY_H_

#include <google/protobuf/message.h>
#include <grpcpp/support/server_callback.h>

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/authorization/rights_table.h"
#include "server/configuration/association_roles.h"
#include "server/identity/authenticator.h"
#include "server/recalculation/snapshot_registry.h"
#include "server/rpc/admission.h"
#include "server/rpc/caller.h"
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
    // What rates are measured by.
    threads::Clock clock = threads::RunningTime;
  };
  using Then = std::function<void(absl::StatusOr<Caller>)>;

  // What the options point to must outlive the boundary.
  explicit Boundary(Options options) : options_(options) {}

  // Calls `then` once, with who calls, or with why she may not: UNAUTHENTICATED,
  // PERMISSION_DENIED, UNAVAILABLE where munged does not answer, RESOURCE_EXHAUSTED: SERVER_BUSY
  // when too many calls wait for it, RATE_LIMITED when she calls more often than the auth file
  // allows, or when too many proofs over her connection were not taken. At once, on this thread,
  // unless a proof makes it wait for another process. `cluster`: as the request names it.
  void Pass(authorization::Rpc rpc, const std::string& cluster,
            grpc::CallbackServerContext* context, Then then);

  // Whether a caller who passed for `rpc` may do it in this cluster: for what
  // authorization::Scope::kContent names. Empty = the only one there is.
  absl::Status CheckCluster(authorization::Rpc rpc, const Caller& caller,
                            const std::string& cluster) const;

  Admission& admission() { return *options_.admission; }

 private:
  // Threads that wait for munged.
  static constexpr int kProvingThreads = 4;

  absl::StatusOr<Caller> Identify(authorization::Rpc rpc, const std::string& cluster,
                                  const identity::Presented& presented, std::string peer) const;
  absl::StatusOr<identity::Principal> Prove(const identity::Presented& presented,
                                            const std::string& peer) const;
  absl::Status CheckRate(authorization::Rpc rpc, authorization::RoleSet here,
                         const Caller& caller) const;
  authorization::RoleSet RolesOf(const identity::Principal& principal,
                                 const std::string& cluster) const;

  const Options options_;
  WorkerPool proving_{kProvingThreads};
};

// The cluster that a request names, in its field `cluster`; empty = none.
std::string ClusterOf(const google::protobuf::Message& request);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_BOUNDARY_H_
