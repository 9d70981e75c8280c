#include "client/prioctl/sacctmgr/delete.h"

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/prioctl/sacctmgr/change.h"
#include "client/prioctl/sacctmgr/filters.h"
#include "client/prioctl/sacctmgr/selection.h"

namespace priorityd::sacctmgr {
namespace {

namespace v1 = ::priority::v1;

Change DeleteAssociations(v1::AssociationFilter where, const std::string& cluster,
                          absl::string_view heading, const client::PriorityClient& client) {
  v1::DeleteAssociationsRequest request;
  request.set_cluster(cluster);
  *request.mutable_where() = std::move(where);
  return {.calls = {{.heading = std::string(heading),
                     .call =
                         [request, &client](const v1::ChangeOptions& options) {
                           v1::DeleteAssociationsRequest with_options = request;
                           *with_options.mutable_options() = options;
                           return client.DeleteAssociations(with_options);
                         }}},
          .nothing = kNothingDeleted};
}

// With a filter that could not be made since nothing fits there is nothing to do.
absl::StatusOr<Change> DeleteBy(absl::StatusOr<v1::AssociationFilter> where,
                                const Selection& selection, absl::string_view heading,
                                const client::PriorityClient& client) {
  if (absl::IsNotFound(where.status())) return Change{.nothing = kNothingDeleted};
  if (!where.ok()) return where.status();
  return DeleteAssociations(*std::move(where), selection.cluster(), heading, client);
}

absl::StatusOr<Change> DeleteUsers(const Selection& selection,
                                   const client::PriorityClient& client) {
  const bool whole = selection.accounts.empty() && selection.partitions.empty();
  return DeleteBy(UserAssociationFilter(selection, client), selection,
                  whole ? " Deleting users..." : " Deleting user associations...", client);
}

absl::StatusOr<Change> DeleteQos(const Selection& selection, const client::PriorityClient& client) {
  v1::ListQosRequest list;
  list.set_cluster(selection.cluster());
  const auto qos = client.ListQos(list);
  if (!qos.ok()) return qos.status();
  std::set<std::string> there;
  for (const v1::Qos& one : qos->qos()) there.insert(one.name());
  v1::DeleteQosRequest request;
  request.set_cluster(selection.cluster());
  for (const std::string& name : selection.names) {
    if (there.erase(name) > 0) request.add_names(name);
  }
  Change change = {.nothing = kNothingDeleted};
  if (request.names().empty()) return change;
  change.calls.push_back({.heading = " Deleting QOS(s)...",
                          .call = [request, &client](const v1::ChangeOptions& options) {
                            v1::DeleteQosRequest with_options = request;
                            *with_options.mutable_options() = options;
                            return client.DeleteQos(with_options);
                          }});
  return change;
}

absl::StatusOr<Change> DeleteCoordinators(const Selection& selection,
                                          const client::PriorityClient& client) {
  v1::UpdateUsersRequest request;
  request.set_cluster(selection.cluster());
  request.mutable_where()->mutable_names()->Add(selection.users.begin(), selection.users.end());
  request.mutable_where()->mutable_coordinated_accounts()->Add(selection.accounts.begin(),
                                                               selection.accounts.end());
  v1::Setting& setting = *request.add_settings();
  setting.set_name("Coordinators");
  setting.set_value(absl::StrJoin(selection.accounts, ","));
  // Without accounts: the user no longer coordinates any.
  setting.set_operator_(selection.accounts.empty() ? v1::SETTING_OPERATOR_SET
                                                   : v1::SETTING_OPERATOR_REMOVE);
  return Change{.calls = {{.heading = " Removed Coordinators...",
                           .call =
                               [request, &client](const v1::ChangeOptions& options) {
                                 v1::UpdateUsersRequest with_options = request;
                                 *with_options.mutable_options() = options;
                                 return client.UpdateUsers(with_options);
                               }}},
                .nothing = " Nothing removed"};
}

absl::StatusOr<v1::ChangeResponse> DeleteCluster(const std::string& name, bool validate_only,
                                                 const client::PriorityClient& client) {
  v1::DeleteClusterRequest request;
  request.set_name(name);
  request.set_validate_only(validate_only);
  const auto gone = client.DeleteCluster(request);
  if (!gone.ok()) return gone.status();
  v1::ChangeResponse response;
  response.set_deleted(1);
  v1::ConfigurationChange& change = *response.add_changes();
  change.set_kind(v1::CHANGE_KIND_DELETED);
  change.set_object(absl::StrCat("cluster ", name, ", with ", gone->associations(),
                                 " associations, ", gone->jobs(), " jobs and ", gone->records(),
                                 " usage records"));
  return response;
}

Change DeleteClusters(const Selection& selection, const client::PriorityClient& client) {
  Change change = {.nothing = kNothingDeleted};
  for (const std::string& name : selection.names.empty() ? selection.clusters : selection.names) {
    change.calls.push_back({.heading = " Deleting clusters...",
                            .call =
                                [name, &client](const v1::ChangeOptions& options) {
                                  return DeleteCluster(name, options.validate_only(), client);
                                },
                            .cluster = name});
  }
  return change;
}

absl::StatusOr<Change> PlanDelete(Entity entity, const Selection& selection,
                                  const client::PriorityClient& client) {
  switch (entity) {
    case Entity::kUser:
      return DeleteUsers(selection, client);
    case Entity::kAccount:
      return DeleteBy(AccountFilter(selection, client), selection, " Deleting accounts...", client);
    case Entity::kAssociation:
      return DeleteAssociations(AssociationsOf(selection), selection.cluster(),
                                " Deleting associations...", client);
    case Entity::kQos:
      return DeleteQos(selection, client);
    case Entity::kCoordinator:
      return DeleteCoordinators(selection, client);
    case Entity::kCluster:
      return DeleteClusters(selection, client);
    default:
      return absl::InvalidArgumentError(
          "delete: got something that cannot be deleted, want account, association, cluster, "
          "coordinator, qos or user");
  }
}

}  // namespace

absl::Status Delete(const Command& command, const client::PriorityClient& client,
                    const Settings& settings, Terminal& terminal) {
  const absl::StatusOr<Selection> selection = ReadSelection(command);
  if (!selection.ok()) return selection.status();
  const bool names_cluster = command.entity == Entity::kCluster && !selection->clusters.empty();
  if (!selection->names_things() && !names_cluster) {
    return absl::InvalidArgumentError("delete: got no condition, want one that selects objects");
  }
  const absl::StatusOr<Change> change = PlanDelete(command.entity, *selection, client);
  if (!change.ok()) return change.status();
  return Make(*change, client, settings, terminal);
}

}  // namespace priorityd::sacctmgr
