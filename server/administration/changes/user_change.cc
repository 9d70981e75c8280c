#include "server/administration/changes/user_change.h"

#include <optional>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "engine/slurm/words/file_violations.h"
#include "server/administration/tree/association_attributes.h"
#include "server/administration/tree/tree_reading.h"
#include "storage/configuration/cluster_user_search.h"

namespace priorityd::administration {
namespace {

using User = storage::ClusterUser;

// In the form stored for users.
absl::StatusOr<std::vector<std::string>> LevelsOf(const UserFilter& where) {
  std::vector<std::string> levels;
  for (const std::string& text : where.admin_levels) {
    absl::StatusOr<std::string> level = ReadAdminLevel(text);
    if (!level.ok()) {
      return errors::BadRequestError("INVALID_FIELD",
                                     {{absl::StrCat("where.admin_levels[", levels.size(), "]"),
                                       std::string(level.status().message())}});
    }
    levels.push_back(*std::move(level));
  }
  return levels;
}

// `levels`: those of LevelsOf.
bool Fits(const UserFilter& where, const std::vector<std::string>& levels, const User& user,
          const std::set<std::string>* members) {
  return (where.default_accounts.empty() ||
          absl::c_linear_search(where.default_accounts, user.default_account)) &&
         (levels.empty() || absl::c_linear_search(levels, user.admin_level)) &&
         (where.coordinated_accounts.empty() || absl::c_any_of(where.coordinated_accounts,
                                                               [&](const std::string& account) {
                                                                 return absl::c_linear_search(
                                                                     user.coordinated, account);
                                                               })) &&
         (members == nullptr || members->count(user.name) > 0);
}

bool AsksForNamesAlone(const UserFilter& where) {
  return !where.names.empty() && where.accounts.empty() && where.default_accounts.empty() &&
         where.admin_levels.empty() && where.coordinated_accounts.empty();
}

// The ones among `users` with an association with one of the accounts.
absl::StatusOr<std::set<std::string>> MembersOf(storage::Transaction& transaction,
                                                int32_t cluster_id, const std::vector<User>& users,
                                                const std::vector<std::string>& accounts) {
  std::vector<std::string> names;
  for (const User& user : users) names.push_back(user.name);
  auto rows = storage::AssociationSearch(transaction)
                  .Fitting(cluster_id, {.accounts = accounts, .users = names, .ids = std::nullopt},
                           /*with_below=*/false);
  if (!rows.ok()) return rows.status();
  std::set<std::string> members;
  for (const storage::Association& row : *rows) {
    if (absl::c_linear_search(accounts, row.account)) members.insert(row.user_name);
  }
  return members;
}

absl::StatusOr<UsersByName> FittingOf(storage::Transaction& transaction, int32_t cluster_id,
                                      const UserFilter& where, std::vector<User> users) {
  const auto levels = LevelsOf(where);
  if (!levels.ok()) return levels.status();
  std::optional<std::set<std::string>> members;
  if (!where.accounts.empty()) {
    auto read = MembersOf(transaction, cluster_id, users, where.accounts);
    if (!read.ok()) return read.status();
    members = *std::move(read);
  }
  UsersByName fitting;
  for (User& user : users) {
    if (!Fits(where, *levels, user, members.has_value() ? &*members : nullptr)) continue;
    const std::string name = user.name;
    fitting.emplace(name, std::move(user));
  }
  return fitting;
}

// User and account of every association.
using Memberships = std::set<std::pair<std::string, std::string>>;

Memberships MembershipsOf(const TreeSlice& tree) {
  Memberships memberships;
  for (const auto& [id, row] : tree.rows()) memberships.emplace(row.user_name, row.account);
  return memberships;
}

absl::Status BadUserField(const std::string& field, const std::string& description) {
  return errors::BadRequestError("INVALID_FIELD", {{field, description}});
}

absl::Status CheckDefault(const Memberships& memberships, const TreeSettings& settings,
                          const User& user) {
  if (!settings.default_account.has_value() ||
      memberships.count({user.name, user.default_account}) > 0) {
    return absl::OkStatus();
  }
  return BadUserField(settings.FieldOf("DefaultAccount"),
                      absl::StrCat("got ", slurm::Quoted(user.default_account),
                                   ", want an account in which user ", user.name, " is"));
}

absl::Status CheckAccounts(const TreeState& state, const TreeSettings& settings) {
  if (!settings.coordinators.has_value()) return absl::OkStatus();
  if (settings.coordinators->op == SettingOperator::kRemove) return absl::OkStatus();
  for (const std::string& account : settings.coordinators->names) {
    if (state.tree.Account(account) != nullptr) continue;
    return BadUserField(
        settings.FieldOf("Coordinators"),
        absl::StrCat("got ", slurm::Quoted(account), ", want accounts of the cluster"));
  }
  return absl::OkStatus();
}

// The accounts coordinated by users before and after the change.
absl::Status ReadAccounts(storage::Transaction& transaction, const TreeSettings& settings,
                          TreeState* state) {
  TreeReading reading(transaction, state);
  std::vector<std::string> accounts;
  std::vector<std::string> names;
  for (const auto& [name, user] : state->users) {
    names.push_back(name);
    accounts.insert(accounts.end(), user.coordinated.begin(), user.coordinated.end());
  }
  if (settings.coordinators.has_value()) {
    const NameList& more = settings.coordinators->names;
    accounts.insert(accounts.end(), more.begin(), more.end());
    if (absl::Status s = reading.AddAccounts(accounts); !s.ok()) return s;
  }
  if (!settings.default_account.has_value()) return absl::OkStatus();
  return reading.AddFitting({.accounts = std::vector<std::string>{*settings.default_account},
                             .users = names,
                             .ids = std::nullopt},
                            /*with_below=*/false);
}

absl::Status Update(storage::Transaction& transaction, const storage::Cluster& cluster,
                    const UserFilter& where, const TreeSettings& settings, const TreeRights& rights,
                    absl::Time now, ChangeList* list) {
  TreeState state;
  state.cluster_id = cluster.id;
  auto users = ReadUsers(transaction, cluster.id, where);
  if (!users.ok()) return users.status();
  state.users = *std::move(users);
  if (state.users.empty()) {
    const std::string got =
        AsksForNamesAlone(where)
            ? absl::StrCat("where.names[0]: got ", slurm::Quoted(where.names.front()))
            : "where: got a filter that matches no user";
    return errors::WithReason(absl::NotFoundError(absl::StrCat(got, ", want users of the cluster")),
                              "UNKNOWN_USER");
  }
  if (absl::Status s = ReadAccounts(transaction, settings, &state); !s.ok()) return s;
  auto plan = PlanUserUpdate(state, settings, rights, list);
  if (!plan.ok()) return plan.status();
  return TreeReading::Store(transaction, cluster.id, *plan, now);
}

}  // namespace

absl::StatusOr<UserSlice> ReadUserSlice(storage::Transaction& transaction, int32_t cluster_id,
                                        const UserFilter& where, const std::string& after,
                                        int64_t most) {
  storage::ClusterUserSearch search(transaction);
  auto users = where.names.empty() ? search.After(cluster_id, after, most)
                                   : search.Named(cluster_id, where.names);
  if (!users.ok()) return users.status();
  UserSlice slice;
  slice.is_all = !where.names.empty() || static_cast<int64_t>(users->size()) < most;
  if (!users->empty()) slice.last = users->back().name;
  auto fitting = FittingOf(transaction, cluster_id, where, *std::move(users));
  if (!fitting.ok()) return fitting.status();
  slice.fitting = *std::move(fitting);
  slice.fitting.erase(slice.fitting.begin(), slice.fitting.upper_bound(after));
  return slice;
}

absl::StatusOr<UsersByName> ReadUsers(storage::Transaction& transaction, int32_t cluster_id,
                                      const UserFilter& where) {
  auto users = where.names.empty()
                   ? storage::ClusterUserStore(transaction).List(cluster_id)
                   : storage::ClusterUserSearch(transaction).Named(cluster_id, where.names);
  if (!users.ok()) return users.status();
  return FittingOf(transaction, cluster_id, where, *std::move(users));
}

absl::StatusOr<TreePlan> PlanUserUpdate(const TreeState& state, const TreeSettings& settings,
                                        const TreeRights& rights, ChangeList* list) {
  const Memberships memberships = MembershipsOf(state.tree);
  TreePlan plan;
  for (const auto& [name, before] : state.users) {
    User after = WithSettings(before, settings);
    // First, so that a refusal does not report which accounts and memberships exist.
    absl::Status status = rights.CheckUser(state.tree, before, after, /*is_new=*/false);
    if (status.ok()) status = CheckAccounts(state, settings);
    if (status.ok()) status = CheckDefault(memberships, settings, after);
    if (!status.ok()) return status;
    list->Updated(absl::StrCat("user ", name), AttributesOf(before), AttributesOf(after));
    list->Meant({.kind = "user", .user = name});
    if (!(after == before)) plan.users.push_back(std::move(after));
  }
  return plan;
}

absl::StatusOr<ChangeResult> UpdateUsers(storage::Database& database, const ChangeFrame& frame,
                                         const UserFilter& where,
                                         const std::vector<Setting>& settings,
                                         const TreeRights& rights) {
  auto read = ReadSettings(settings, SettingsOf::kUsers);
  if (!read.ok()) return read.status();
  if (absl::Status s = rights.CheckUsersMeant(where.names); !s.ok()) return s;
  return MakeChange(
      database, frame, Reach::kTree,
      [&](storage::Transaction& transaction, const storage::Cluster& cluster, ChangeList* list) {
        return Update(transaction, cluster, where, *read, rights, frame.context.now, list);
      });
}

}  // namespace priorityd::administration
