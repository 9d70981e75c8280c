// Shared context of the calls that list or change a cluster's configuration.
#ifndef PRIORITYD_SERVER_API_SHARED_ADMINISTRATION_CALL_H_
#define PRIORITYD_SERVER_API_SHARED_ADMINISTRATION_CALL_H_

#include <google/protobuf/repeated_ptr_field.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "priority/v1/administration.pb.h"
#include "server/administration/changes/configuration_change.h"
#include "server/administration/settings/setting.h"
#include "server/administration/tree/tree_rights.h"
#include "server/authorization/rights_table.h"
#include "server/configuration/alias_directory.h"
#include "server/queue/state/queue_state.h"
#include "server/recalculation/recalculation_loop.h"
#include "server/recalculation/snapshot_registry.h"
#include "server/transport/boundary.h"
#include "server/transport/caller.h"
#include "storage/configuration/lease_store.h"
#include "storage/database/database.h"

namespace priorityd::rpc {

struct AdministrationCall {
  authorization::Rpc rpc;
  storage::Database& database;
  const recalculation::SnapshotRegistry& registry;
  recalculation::RecalculationLoop& loop;
  const Caller& caller;
  std::string cluster;  // The resolved name.
  absl::Time now;       // By the real clock.
  // The last published state of its tracked queue; null = unknown.
  std::function<std::shared_ptr<const queue::QueueState>()> queue;
  // Null in calls that do not change aliases.
  configuration::AliasDirectory* aliases = nullptr;
  // Null in calls that change no other cluster.
  const Boundary* boundary = nullptr;
};

// The leases of a caller who is no operator, from any address; nullopt = of an operator.
std::optional<storage::LeaseAuthors> LeaseShareOf(const Caller& caller);

// Whether the caller is a service that acts for itself.
bool IsService(const Caller& caller);

// In the association tree.
administration::TreeRights RightsOf(const Caller& caller);

// A stored principal as the caller may see it: operators with its proof and address, as the audit
// has it; others by its name alone.
std::string ShownPrincipal(const Caller& caller, const std::string& principal);

// The time by the cluster's clock, which may be manual.
absl::Time ClockOf(const AdministrationCall& call);
// The time by the clock of another cluster.
absl::Time ClockOf(const AdministrationCall& call, const std::string& cluster);

// The context of the call's change.
administration::ChangeFrame FrameOf(const AdministrationCall& call,
                                    const ::priority::v1::ChangeOptions& options);

// A change whose settings may have an end.
struct LeaseOrChange {
  administration::ChangeFrame frame;              // With the lease, if there is one.
  std::vector<administration::Setting> settings;  // Without From and Until.
};

// The context and the settings of such a change of objects of `kind` (that of
// administration::ObjectKey). Errors of TakeLeasePeriod, and for a lease those of the registry: the
// cluster has no snapshot yet.
absl::StatusOr<LeaseOrChange> LeaseOf(
    const AdministrationCall& call, const ::priority::v1::ChangeOptions& options, const char* kind,
    const google::protobuf::RepeatedPtrField<::priority::v1::Setting>& settings);

// Returns the result of a change that takes effect soon, in the other clusters of its list too.
absl::Status Answer(const AdministrationCall& call, const ::priority::v1::ChangeOptions& options,
                    const absl::StatusOr<administration::ChangeResult>& result,
                    ::priority::v1::ChangeResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_SHARED_ADMINISTRATION_CALL_H_
