#include "client/prioctl/sacctmgr/modify.h"

#include <utility>
#include <vector>

#include "client/prioctl/sacctmgr/change.h"
#include "client/prioctl/sacctmgr/filters.h"
#include "client/prioctl/sacctmgr/selection.h"

namespace priorityd::sacctmgr {
namespace {

namespace v1 = ::priority::v1;

using SettingList = std::vector<v1::Setting>;

constexpr char kNoConditions[] =
    "No condition is given: this changes all of them.\n"
    "Are you sure you want to continue? (You have 30 seconds to decide)\n(N/y): ";

ChangeCall UpdateAssociations(v1::AssociationFilter where, const std::string& cluster,
                              const SettingList& list, absl::string_view heading,
                              const client::PriorityClient& client) {
  v1::UpdateAssociationsRequest request;
  request.set_cluster(cluster);
  *request.mutable_where() = std::move(where);
  request.mutable_settings()->Add(list.begin(), list.end());
  return {.heading = std::string(heading),
          .call =
              [request, &client](const v1::ChangeOptions& options) {
                v1::UpdateAssociationsRequest with_options = request;
                *with_options.mutable_options() = options;
                return client.UpdateAssociations(with_options);
              },
          .cluster = cluster,
          .settings = list};
}

ChangeCall UpdateUsers(const Selection& selection, const SettingList& list,
                       const client::PriorityClient& client) {
  v1::UpdateUsersRequest request;
  request.set_cluster(selection.cluster());
  *request.mutable_where() = UsersOf(selection);
  request.mutable_settings()->Add(list.begin(), list.end());
  return {.heading = " Modified users...",
          .call =
              [request, &client](const v1::ChangeOptions& options) {
                v1::UpdateUsersRequest with_options = request;
                *with_options.mutable_options() = options;
                return client.UpdateUsers(with_options);
              },
          .settings = list};
}

// Settings of a user in all accounts.
bool IsOfUser(const v1::Setting& setting) {
  return IsShortFor(setting.name(), "AdminLevel", 2) ||
         IsShortFor(setting.name(), "DefaultAccount", 8) ||
         IsShortFor(setting.name(), "Coordinators", 2);
}

absl::StatusOr<Change> ModifyUsers(const Selection& selection, const SettingList& settings,
                                   const client::PriorityClient& client) {
  SettingList of_users, of_associations;
  for (const v1::Setting& setting : settings) {
    if (!IsTerm(setting)) (IsOfUser(setting) ? of_users : of_associations).push_back(setting);
  }
  for (SettingList* list : {&of_users, &of_associations}) {
    for (const v1::Setting& setting : settings) {
      if (IsTerm(setting) && !list->empty()) list->push_back(setting);
    }
  }
  Change change = {.nothing = kNothingModified};
  if (of_users.empty() && of_associations.empty()) {
    return absl::InvalidArgumentError("got only a period, want a setting too");
  }
  if (!of_users.empty()) change.calls.push_back(UpdateUsers(selection, of_users, client));
  if (of_associations.empty()) return change;
  auto where = UserAssociationFilter(selection, client);
  if (absl::IsNotFound(where.status())) return change;
  if (!where.ok()) return where.status();
  change.calls.push_back(UpdateAssociations(*std::move(where), selection.cluster(), of_associations,
                                            " Modified user associations...", client));
  return change;
}

absl::StatusOr<Change> ModifyAccounts(const Selection& selection, const SettingList& settings,
                                      const client::PriorityClient& client) {
  Change change = {.nothing = kNothingModified};
  auto where = AccountFilter(selection, client);
  if (absl::IsNotFound(where.status())) return change;
  if (!where.ok()) return where.status();
  change.calls.push_back(UpdateAssociations(*std::move(where), selection.cluster(), settings,
                                            " Modified account associations...", client));
  return change;
}

absl::StatusOr<Change> ModifyAssociations(const Selection& selection, const SettingList& settings,
                                          const client::PriorityClient& client) {
  if (!selection.names_things()) {
    return absl::InvalidArgumentError(
        "got no condition, want where account=NAME, user=NAME or the like");
  }
  return Change{.calls = {UpdateAssociations(AssociationsOf(selection), selection.cluster(),
                                             settings, " Modified associations...", client)},
                .nothing = kNothingModified};
}

// Settings of a cluster are those of its root account.
Change ModifyClusters(const Selection& selection, const SettingList& settings,
                      const client::PriorityClient& client) {
  Change change = {.nothing = kNothingModified};
  Names names = selection.names.empty() ? selection.clusters : selection.names;
  if (names.empty()) names = {""};
  for (const std::string& name : names) {
    v1::AssociationFilter root;
    root.add_accounts("root");
    root.add_users("");
    change.calls.push_back(UpdateAssociations(
        root, name, settings, " Modified cluster defaults for associations...", client));
  }
  return change;
}

absl::StatusOr<Change> ModifyQos(const Selection& selection, const SettingList& settings,
                                 const client::PriorityClient& client) {
  v1::ListQosRequest list;
  list.set_cluster(selection.cluster());
  list.mutable_names()->Add(selection.names.begin(), selection.names.end());
  const auto qos = client.ListQos(list);
  Change change = {.nothing = kNothingModified};
  if (absl::IsNotFound(qos.status())) return change;
  if (!qos.ok()) return qos.status();
  if (qos->qos().empty()) return change;
  v1::UpdateQosRequest request;
  request.set_cluster(selection.cluster());
  for (const v1::Qos& there : qos->qos()) request.add_names(there.name());
  request.mutable_settings()->Add(settings.begin(), settings.end());
  change.calls.push_back({.heading = " Modified qos...",
                          .call =
                              [request, &client](const v1::ChangeOptions& options) {
                                v1::UpdateQosRequest with_options = request;
                                *with_options.mutable_options() = options;
                                return client.UpdateQos(with_options);
                              },
                          .settings = settings});
  return change;
}

absl::StatusOr<Change> PlanModify(Entity entity, const Selection& selection,
                                  const SettingList& settings,
                                  const client::PriorityClient& client) {
  switch (entity) {
    case Entity::kUser:
      return ModifyUsers(selection, settings, client);
    case Entity::kAccount:
      return ModifyAccounts(selection, settings, client);
    case Entity::kAssociation:
      return ModifyAssociations(selection, settings, client);
    case Entity::kQos:
      return ModifyQos(selection, settings, client);
    case Entity::kCluster:
      return ModifyClusters(selection, settings, client);
    default:
      return absl::InvalidArgumentError(
          "modify: got something that cannot be modified, want account, association, cluster, qos "
          "or user");
  }
}

}  // namespace

absl::Status Modify(const Command& command, const client::PriorityClient& client,
                    const Settings& settings, Terminal& terminal) {
  const absl::StatusOr<Selection> selection = ReadSelection(command);
  if (!selection.ok()) return selection.status();
  const absl::StatusOr<SettingList> list = ReadSettings(command);
  if (!list.ok()) return list.status();
  if (!selection->names_things() && command.entity != Entity::kCluster) {
    const absl::StatusOr<bool> go_on = MayGoOn(settings, kNoConditions, terminal);
    if (!go_on.ok() || !*go_on) return go_on.status();
  }
  const absl::StatusOr<Change> change = PlanModify(command.entity, *selection, *list, client);
  if (!change.ok()) return change.status();
  return Make(*change, client, settings, terminal);
}

}  // namespace priorityd::sacctmgr
