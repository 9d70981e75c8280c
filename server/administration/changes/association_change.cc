#include "server/administration/changes/association_change.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "engine/slurm/words/file_violations.h"
#include "server/administration/leases/leased_limits.h"
#include "server/administration/tree/association_room.h"
#include "server/administration/tree/deletion_plan.h"
#include "server/administration/tree/revival.h"
#include "server/administration/tree/tree_reading.h"
#include "server/usage/usage_reset.h"
#include "storage/configuration/cluster_user_search.h"

namespace priorityd::administration {
namespace {

using Row = storage::Association;
using NameSet = std::set<std::string>;

std::vector<std::string> ListOf(const NameSet& names) { return {names.begin(), names.end()}; }

bool SetsQos(const TreeSettings& settings) {
  return !settings.FieldOf("QOS").empty() || !settings.FieldOf("DefaultQOS").empty();
}

// Bounds the size of the values stored in all rows of a change.
constexpr size_t kMaxSetBytes = size_t{64} << 20;

absl::Status CheckExtent(const std::vector<Setting>& settings, size_t associations) {
  size_t bytes = 0;
  for (const Setting& setting : settings) bytes += setting.value.size();
  if (bytes * associations <= kMaxSetBytes) return absl::OkStatus();
  return errors::BadRequestError(
      "INVALID_FIELD",
      {{"settings", absl::StrCat("got ", bytes, " bytes for each of ", associations,
                                 " associations, want at most ", kMaxSetBytes, " in all")}});
}

absl::Status NotThere(const std::string& what) {
  return errors::WithReason(absl::NotFoundError(what), "UNKNOWN_ASSOCIATION");
}

// Whether all accounts of `where` are named, and the caller coordinates each.
bool Coordinates(const TreeRights& rights, const TreeSlice& tree, const AssociationFilter& where) {
  return !where.accounts.empty() && absl::c_all_of(where.accounts, [&](const std::string& name) {
    const TreeSlice::Row* account = tree.Account(name);
    return account != nullptr && tree.IsAtOrBelow(*account, rights.coordinated);
  });
}

// Names what of `where` is not there; a coordinator learns it of the own accounts only.
absl::Status NothingFits(storage::Transaction& transaction, int32_t cluster_id,
                         const AssociationFilter& where, const TreeRights& rights) {
  TreeState state;
  state.cluster_id = cluster_id;
  if (absl::Status s = TreeReading(transaction, &state).AddAccounts(where.accounts); !s.ok()) {
    return s;
  }
  if (!rights.is_operator && !Coordinates(rights, state.tree, where)) return rights.DeniedUnseen();
  for (size_t i = 0; i < where.accounts.size(); ++i) {
    if (state.tree.Account(where.accounts[i]) != nullptr) continue;
    return NotThere(absl::StrCat("where.accounts[", i, "]: got ", slurm::Quoted(where.accounts[i]),
                                 ", want an account of the cluster"));
  }
  return NotThere("where: got a filter that matches no association, want at least one match");
}

// Reads the named associations, their future parents, the users and their associations with a
// default account.
absl::Status ReadForCreation(storage::Transaction& transaction, const Creation& creation,
                             const TreeSettings& settings, TreeState* state) {
  std::vector<storage::AssociationName> names = {{kRootAccount, "", ""}};
  NameSet users;
  for (const NewAssociation& wanted : creation.associations) {
    names.push_back({wanted.account, wanted.user, wanted.partition});
    names.push_back({wanted.user.empty() ? wanted.parent_account : wanted.account, "", ""});
    if (!wanted.user.empty()) users.insert(wanted.user);
  }
  if (settings.coordinators.has_value()) {
    for (const std::string& account : settings.coordinators->names) {
      names.push_back({account, "", ""});
    }
  }
  TreeReading reading(transaction, state);
  absl::Status status = reading.AddNamed(names);
  if (status.ok()) status = reading.AddUsers(ListOf(users));
  if (status.ok() && settings.default_account.has_value() && !users.empty()) {
    status = reading.AddFitting({.accounts = std::vector<std::string>{*settings.default_account},
                                 .users = ListOf(users),
                                 .ids = std::nullopt},
                                /*with_below=*/false);
  }
  if (status.ok() && SetsQos(settings)) status = reading.AddQosNames();
  return status;
}

absl::Status Create(storage::Transaction& transaction, const storage::Cluster& cluster,
                    const Creation& creation, const TreeSettings& settings,
                    const TreeRights& rights, const ChangeFrame& frame, ChangeList* list) {
  TreeState state;
  state.cluster_id = cluster.id;
  if (absl::Status s = ReadForCreation(transaction, creation, settings, &state); !s.ok()) return s;
  if (absl::Status s = CheckQosNames(settings, state.qos); !s.ok()) return s;
  auto ids = storage::AssociationStore(transaction).ReserveIds(CountNew(state.tree, creation));
  if (!ids.ok()) return ids.status();
  const TreeSlice before = state.tree;
  auto plan = PlanCreation(std::move(state), creation, settings, rights, *ids, list);
  if (!plan.ok()) return plan.status();
  absl::Status may = CheckRevivals(transaction, cluster.id, plan->inserts, rights);
  if (may.ok() && !rights.is_operator) {
    may = CheckAssociationRoom(transaction, cluster.id, before, plan->inserts);
  }
  if (may.ok()) {
    may = CheckWithLeases(transaction, cluster.id, before, *plan, settings, rights, frame.time);
  }
  if (!may.ok()) return may;
  return TreeReading::Store(transaction, cluster.id, *plan, frame.context.now);
}

// Reads the matching associations and those above them; the users if the filter asks for defaults.
absl::StatusOr<std::vector<int64_t>> ReadMeant(storage::Transaction& transaction,
                                               const AssociationFilter& where,
                                               const TreeRights& rights, TreeState* state) {
  auto tree = ReadFitting(transaction, state->cluster_id, where);
  if (!tree.ok()) return tree.status();
  state->tree = *std::move(tree);
  if (where.only_defaults) {
    NameSet users;
    for (const auto& [id, row] : state->tree.rows()) users.insert(row.user_name);
    absl::Status s = TreeReading(transaction, state).AddUsers(ListOf(users));
    if (!s.ok()) return s;
  }
  std::vector<int64_t> ids = Fitting(where, state->tree, state->users);
  if (ids.empty()) return NothingFits(transaction, state->cluster_id, where, rights);
  return ids;
}

absl::Status ReadForUpdate(storage::Transaction& transaction, const std::vector<int64_t>& ids,
                           const TreeSettings& settings, TreeState* state) {
  TreeReading reading(transaction, state);
  absl::Status status;
  if (settings.parent.has_value()) status = reading.AddAccounts({*settings.parent});
  if (status.ok() && SetsQos(settings)) status = reading.AddQosNames();
  if (!status.ok() || (!settings.parent.has_value() && !SetsQos(settings))) return status;
  std::vector<int64_t> accounts;
  for (const int64_t id : ids) {
    if (state->tree.ById(id)->user_name.empty()) accounts.push_back(id);
  }
  if (accounts.empty()) return status;
  return reading.AddFitting({.accounts = std::nullopt, .users = std::nullopt, .ids = accounts},
                            /*with_below=*/true);
}

absl::Status Update(storage::Transaction& transaction, const storage::Cluster& cluster,
                    const AssociationFilter& where, const std::vector<Setting>& given,
                    const TreeSettings& settings, const TreeRights& rights,
                    const ChangeFrame& frame, ChangeList* list) {
  TreeState state;
  state.cluster_id = cluster.id;
  auto ids = ReadMeant(transaction, where, rights, &state);
  if (!ids.ok()) return ids.status();
  if (absl::Status s = CheckExtent(given, ids->size()); !s.ok()) return s;
  if (absl::Status s = ReadForUpdate(transaction, *ids, settings, &state); !s.ok()) return s;
  if (absl::Status s = CheckQosNames(settings, state.qos); !s.ok()) return s;
  auto plan = PlanUpdate(state, *ids, settings, rights, list);
  if (!plan.ok()) return plan.status();
  absl::Status within =
      CheckWithLeases(transaction, cluster.id, state.tree, *plan, settings, rights, frame.time);
  if (!within.ok()) return within;
  const ChangeContext& context = frame.context;
  absl::Status stored = TreeReading::Store(transaction, cluster.id, *plan, context.now);
  if (!stored.ok() || !settings.resets_usage) return stored;
  return usage::ResetUsageOf(transaction, cluster.name, *ids, context.now, context.validate_only)
      .status();
}

std::vector<std::string> CoordinatedBy(const UsersByName& users) {
  NameSet accounts;
  for (const auto& [name, user] : users) {
    accounts.insert(user.coordinated.begin(), user.coordinated.end());
  }
  return ListOf(accounts);
}

// Reads everything below the deleted associations, all associations of the affected users, the
// accounts that these coordinate, and coordinators.
absl::Status ReadForDeletion(storage::Transaction& transaction, const std::vector<int64_t>& ids,
                             TreeState* state) {
  TreeReading reading(transaction, state);
  absl::Status status =
      reading.AddFitting({.accounts = std::nullopt, .users = std::nullopt, .ids = ids},
                         /*with_below=*/true);
  if (!status.ok()) return status;
  NameSet users;
  NameSet accounts;
  for (const int64_t id : state->tree.WithBelow(ids)) {
    const Row& row = *state->tree.ById(id);
    if (row.user_name.empty()) {
      accounts.insert(row.account);
    } else {
      users.insert(row.user_name);
    }
  }
  status = reading.AddUsers(ListOf(users));
  if (status.ok() && !users.empty()) {
    status =
        reading.AddFitting({.accounts = std::nullopt, .users = ListOf(users), .ids = std::nullopt},
                           /*with_below=*/false);
  }
  if (status.ok()) status = reading.AddAccounts(CoordinatedBy(state->users));
  if (status.ok()) status = reading.AddCoordinators(ListOf(accounts));
  return status;
}

absl::Status WarnOfJobs(storage::Transaction& transaction, int32_t cluster_id,
                        const TreeState& state, const TreePlan& plan, ChangeList* list) {
  NameSet accounts;
  for (const int64_t id : plan.deletions) {
    const Row& row = *state.tree.ById(id);
    if (row.user_name.empty()) accounts.insert(row.account);
  }
  if (accounts.empty()) return absl::OkStatus();
  auto jobs = storage::ClusterUserSearch(transaction).CountJobs(cluster_id, ListOf(accounts));
  if (!jobs.ok()) return jobs.status();
  if (*jobs > 0) {
    list->Warn(absl::StrCat(
        *jobs,
        *jobs == 1 ? " tracked job names an account that goes" : " tracked jobs name what goes",
        ": not eligible without it"));
  }
  return absl::OkStatus();
}

absl::Status Delete(storage::Transaction& transaction, const storage::Cluster& cluster,
                    const AssociationFilter& where, const TreeRights& rights, absl::Time now,
                    ChangeList* list) {
  TreeState state;
  state.cluster_id = cluster.id;
  auto ids = ReadMeant(transaction, where, rights, &state);
  if (!ids.ok()) return ids.status();
  ids->erase(std::remove_if(ids->begin(), ids->end(),
                            [&](int64_t id) {
                              return IsRoot(*state.tree.ById(id)) && where.with_sub_accounts;
                            }),
             ids->end());
  if (absl::Status s = ReadForDeletion(transaction, *ids, &state); !s.ok()) return s;
  auto plan = PlanDeletion(state, *ids, rights, list);
  if (!plan.ok()) return plan.status();
  if (absl::Status s = WarnOfJobs(transaction, cluster.id, state, *plan, list); !s.ok()) return s;
  return TreeReading::Store(transaction, cluster.id, *plan, now);
}

}  // namespace

absl::StatusOr<ChangeResult> CreateAssociations(storage::Database& database,
                                                const ChangeFrame& frame, const Creation& creation,
                                                const std::vector<Setting>& settings,
                                                const TreeRights& rights) {
  auto read = ReadSettings(settings, SettingsOf::kNewAssociations);
  if (!read.ok()) return read.status();
  if (absl::Status s = CheckExtent(settings, creation.associations.size()); !s.ok()) return s;
  return MakeChange(
      database, frame, Reach::kTree,
      [&](storage::Transaction& transaction, const storage::Cluster& cluster, ChangeList* list) {
        return Create(transaction, cluster, creation, *read, rights, frame, list);
      });
}

absl::StatusOr<ChangeResult> UpdateAssociations(storage::Database& database,
                                                const ChangeFrame& frame,
                                                const AssociationFilter& where,
                                                const std::vector<Setting>& settings,
                                                const TreeRights& rights) {
  auto read = ReadSettings(settings, SettingsOf::kAssociations);
  if (!read.ok()) return read.status();
  return MakeChange(
      database, frame, Reach::kTree,
      [&](storage::Transaction& transaction, const storage::Cluster& cluster, ChangeList* list) {
        return Update(transaction, cluster, where, settings, *read, rights, frame, list);
      });
}

absl::StatusOr<ChangeResult> DeleteAssociations(storage::Database& database,
                                                const ChangeFrame& frame,
                                                const AssociationFilter& where,
                                                const TreeRights& rights) {
  return MakeChange(
      database, frame, Reach::kTree,
      [&](storage::Transaction& transaction, const storage::Cluster& cluster, ChangeList* list) {
        return Delete(transaction, cluster, where, rights, frame.context.now, list);
      });
}

}  // namespace priorityd::administration
