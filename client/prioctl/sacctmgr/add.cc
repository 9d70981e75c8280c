#include "client/prioctl/sacctmgr/add.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/prioctl/sacctmgr/change.h"
#include "client/prioctl/sacctmgr/selection.h"

namespace priorityd::sacctmgr {
namespace {

namespace v1 = ::priority::v1;

absl::Status NeedName(absl::string_view of) {
  return absl::InvalidArgumentError(absl::StrCat("got no name of ", of, " to add, want one"));
}

template <typename Request>
void SetSettings(const Selection& selection, Request& request) {
  request.set_cluster(selection.cluster());
  request.mutable_settings()->Add(selection.settings.begin(), selection.settings.end());
}

Change CreateAssociations(const v1::CreateAssociationsRequest& request, absl::string_view heading,
                          const client::PriorityClient& client) {
  return {.calls = {{.heading = std::string(heading),
                     .call =
                         [request, &client](const v1::ChangeOptions& options) {
                           v1::CreateAssociationsRequest with_options = request;
                           *with_options.mutable_options() = options;
                           return client.CreateAssociations(with_options);
                         },
                     .settings = {request.settings().begin(), request.settings().end()}}},
          .nothing = kNothingAdded};
}

absl::StatusOr<Change> AddAccounts(const Selection& selection,
                                   const client::PriorityClient& client) {
  if (selection.accounts.empty()) return NeedName("account");
  if (selection.parents.size() > 1) {
    return absl::InvalidArgumentError("parent: got several, want one");
  }
  v1::CreateAssociationsRequest request;
  SetSettings(selection, request);
  request.set_allow_existing(true);
  for (const std::string& account : selection.accounts) {
    v1::NewAssociation& made = *request.add_associations();
    made.set_account(account);
    if (!selection.parents.empty()) made.set_parent_account(selection.parents.front());
  }
  return CreateAssociations(request, " Adding Account(s)", client);
}

// DefaultAccount, where no account is named.
Names AccountsOf(const Selection& selection) {
  if (!selection.accounts.empty()) return selection.accounts;
  for (const v1::Setting& setting : selection.settings) {
    if (IsShortFor(setting.name(), "DefaultAccount", 8)) return {setting.value()};
  }
  return {};
}

absl::StatusOr<Change> AddUsers(const Selection& selection, const client::PriorityClient& client) {
  if (selection.users.empty()) return NeedName("user");
  const Names accounts = AccountsOf(selection);
  if (accounts.empty()) return NeedName("account (account=NAME) for the user");
  v1::CreateAssociationsRequest request;
  SetSettings(selection, request);
  request.set_allow_existing(true);
  const Names partitions = selection.partitions.empty() ? Names{""} : selection.partitions;
  for (const std::string& user : selection.users) {
    for (const std::string& account : accounts) {
      for (const std::string& partition : partitions) {
        v1::NewAssociation& made = *request.add_associations();
        made.set_user(user);
        made.set_account(account);
        made.set_partition(partition);
      }
    }
  }
  return CreateAssociations(request, " Adding User(s)", client);
}

absl::StatusOr<Change> AddQos(const Selection& selection, const client::PriorityClient& client) {
  if (selection.names.empty()) return NeedName("QOS");
  v1::ListQosRequest list;
  list.set_cluster(selection.cluster());
  const auto qos = client.ListQos(list);
  if (!qos.ok()) return qos.status();
  std::set<std::string> names(selection.names.begin(), selection.names.end());
  for (const v1::Qos& there : qos->qos()) names.erase(there.name());
  Change change = {.nothing = kNothingAdded};
  if (names.empty()) return change;
  v1::CreateQosRequest request;
  SetSettings(selection, request);
  for (const std::string& name : selection.names) {
    if (names.erase(name) > 0) request.add_names(name);
  }
  change.calls.push_back({.heading = " Adding QOS(s)",
                          .call =
                              [request, &client](const v1::ChangeOptions& options) {
                                v1::CreateQosRequest with_options = request;
                                *with_options.mutable_options() = options;
                                return client.CreateQos(with_options);
                              },
                          .settings = selection.settings});
  return change;
}

absl::StatusOr<Change> AddCoordinators(const Selection& selection,
                                       const client::PriorityClient& client) {
  if (selection.accounts.empty()) return NeedName("account (account=NAME)");
  if (selection.users.empty()) return NeedName("user");
  v1::UpdateUsersRequest request;
  request.set_cluster(selection.cluster());
  request.mutable_where()->mutable_names()->Add(selection.users.begin(), selection.users.end());
  v1::Setting& setting = *request.add_settings();
  setting.set_name("Coordinators");
  setting.set_operator_(v1::SETTING_OPERATOR_ADD);
  setting.set_value(absl::StrJoin(selection.accounts, ","));
  return Change{.calls = {{.heading = " Adding Coordinator User(s)",
                           .call =
                               [request, &client](const v1::ChangeOptions& options) {
                                 v1::UpdateUsersRequest with_options = request;
                                 *with_options.mutable_options() = options;
                                 return client.UpdateUsers(with_options);
                               }}},
                .nothing = kNothingAdded};
}

// A cluster; what is set of it is set of its root account.
absl::StatusOr<v1::ChangeResponse> AddCluster(const std::string& name, const Selection& selection,
                                              const v1::ChangeOptions& options,
                                              const client::PriorityClient& client) {
  v1::UpdateClusterRequest request;
  request.mutable_cluster()->set_name(name);
  request.set_allow_missing(true);
  request.set_validate_only(options.validate_only());
  const auto cluster = client.UpdateCluster(request);
  if (!cluster.ok()) return cluster.status();
  if (!options.validate_only() && !selection.settings.empty()) {
    v1::UpdateAssociationsRequest root;
    root.set_cluster(name);
    root.mutable_where()->add_accounts("root");
    root.mutable_where()->add_users("");
    root.mutable_settings()->Add(selection.settings.begin(), selection.settings.end());
    const auto set = client.UpdateAssociations(root);
    if (!set.ok()) return set.status();
  }
  v1::ChangeResponse response;
  response.set_created(1);
  v1::ConfigurationChange& change = *response.add_changes();
  change.set_kind(v1::CHANGE_KIND_CREATED);
  change.set_object(absl::StrCat("cluster ", name));
  return response;
}

absl::StatusOr<Change> AddClusters(const Selection& selection,
                                   const client::PriorityClient& client) {
  const Names& names = selection.names.empty() ? selection.clusters : selection.names;
  if (names.empty()) return NeedName("cluster");
  const auto clusters = client.ListClusters({});
  if (!clusters.ok()) return clusters.status();
  std::set<std::string> there;
  for (const v1::Cluster& cluster : clusters->clusters()) there.insert(cluster.name());
  Change change = {.nothing = kNothingAdded};
  for (const std::string& name : names) {
    if (!there.insert(name).second) continue;
    change.calls.push_back({.heading = " Adding Cluster(s)",
                            .call = [name, selection, &client](const v1::ChangeOptions& options) {
                              return AddCluster(name, selection, options, client);
                            }});
  }
  return change;
}

absl::StatusOr<Change> PlanAdd(Entity entity, const Selection& selection,
                               const client::PriorityClient& client) {
  switch (entity) {
    case Entity::kAccount:
      return AddAccounts(selection, client);
    case Entity::kUser:
      return AddUsers(selection, client);
    case Entity::kQos:
      return AddQos(selection, client);
    case Entity::kCoordinator:
      return AddCoordinators(selection, client);
    case Entity::kCluster:
      return AddClusters(selection, client);
    default:
      return absl::InvalidArgumentError(
          "add: got something that cannot be added, want account, cluster, coordinator, qos or "
          "user");
  }
}

}  // namespace

absl::Status Add(const Command& command, const client::PriorityClient& client,
                 const Settings& settings, Terminal& terminal) {
  const absl::StatusOr<Selection> selection = ReadNewThings(command);
  if (!selection.ok()) return selection.status();
  const absl::StatusOr<Change> change = PlanAdd(command.entity, *selection, client);
  if (!change.ok()) return change.status();
  return Make(*change, client, settings, terminal);
}

}  // namespace priorityd::sacctmgr
