#include "server/api/administration/provisioning.h"

#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "server/api/shared/administration_call.h"
#include "server/messages/view.h"
#include "storage/configuration/partition_store.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using authorization::Role;

absl::Status Denied(absl::string_view what, const Caller& caller) {
  return errors::WithReason(absl::PermissionDeniedError(
                                absl::StrCat(what, " from ", caller.ToString(), " with the roles ",
                                             caller.roles.ToString(), ", want administrator")),
                            "ROLE_REQUIRED");
}

}  // namespace

administration::TreeRights RightsIn(const v1::CreateAssociationsRequest& request,
                                    const Caller& caller) {
  administration::TreeRights rights = RightsOf(caller);
  if (caller.roles.Has(Role::kProvisioner) && request.settings().empty()) rights.is_operator = true;
  return rights;
}

absl::Status CheckProvision(const Caller& caller, const v1::UpdateClusterRequest& request) {
  if (caller.roles.Has(Role::kAdministrator) || !request.allow_missing()) return absl::OkStatus();
  return Denied("allow_missing: got a cluster to create", caller);
}

absl::Status CheckProvision(const Caller& caller, const v1::UpdatePartitionsRequest& request,
                            storage::Transaction& transaction, const storage::Cluster& cluster) {
  if (caller.roles.Has(Role::kAdministrator)) return absl::OkStatus();
  for (int i = 0; i < request.settings_size(); ++i) {
    const std::string& name = request.settings(i).name();
    if (absl::EqualsIgnoreCase(View(name), "State")) continue;
    return Denied(absl::StrCat("settings[", i, "].name: got ", name), caller);
  }
  const auto partitions = storage::PartitionStore(transaction).List(cluster.id);
  if (!partitions.ok()) return partitions.status();
  for (int i = 0; i < request.names_size(); ++i) {
    const bool there =
        std::any_of(partitions->begin(), partitions->end(),
                    [&](const auto& partition) { return partition.name == request.names(i); });
    if (there) return Denied(absl::StrCat("names[", i, "]: got an existing partition"), caller);
  }
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
