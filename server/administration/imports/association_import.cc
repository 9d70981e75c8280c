#include "server/administration/imports/association_import.h"

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "engine/slurm/words/file_violations.h"
#include "server/administration/settings/to_storage.h"
#include "server/administration/tree/association_attributes.h"
#include "server/administration/tree/revival.h"
#include "server/administration/tree/tree_slice.h"
#include "storage/configuration/association_store.h"
#include "storage/configuration/cluster_user_store.h"

namespace priorityd::administration {
namespace {

constexpr char kRoot[] = "root";

using Name = std::tuple<std::string, std::string, std::string>;

Name NameOf(const storage::Association& row) { return {row.account, row.user_name, row.partition}; }

bool IsRootAccount(const storage::Association& row) {
  return row.account == kRoot && row.user_name.empty();
}

// The import of one cluster's associations.
class Plan {
 public:
  Plan(int32_t cluster_id, const std::vector<storage::Association>& current)
      : cluster_id_(cluster_id) {
    for (const storage::Association& row : current) {
      unnamed_[NameOf(row)] = &row;
      if (row.user_name.empty()) AddAccount(row);
    }
  }

  // New associations take ids from `reserved`, in order.
  absl::Status Add(const slurm::DumpAssociation& given, std::vector<int64_t>::iterator* reserved);
  bool IsNew(const slurm::DumpAssociation& given) const {
    return !unnamed_.contains(NameOf(ToStorage(cluster_id_, given)));
  }

  const std::vector<storage::Association>& inserts() const { return inserts_; }
  const std::vector<storage::Association>& updates() const { return updates_; }
  int64_t unchanged() const { return unchanged_; }
  // Associations that the dump did not name, without root.
  std::vector<int64_t> Unnamed() const;

  // Records all changes in the audit; `clean`: unnamed associations are deleted.
  void AuditAll(bool clean, ImportAudit* audit) const;

 private:
  void AddAccount(const storage::Association& row) {
    account_ids_[row.account] = row.id;
    accounts_[row.id] = row.account;
  }
  // With `Parent` for an account.
  Attributes AuditedAttributes(const storage::Association& row) const;

  int32_t cluster_id_;
  absl::flat_hash_map<Name, const storage::Association*> unnamed_;
  absl::flat_hash_map<std::string, int64_t> account_ids_;
  absl::flat_hash_map<int64_t, std::string> accounts_;  // By id.
  std::vector<storage::Association> inserts_;
  std::vector<storage::Association> updates_;
  std::vector<const storage::Association*> updated_;  // Before the update.
  int64_t unchanged_ = 0;
};

absl::Status Plan::Add(const slurm::DumpAssociation& given,
                       std::vector<int64_t>::iterator* reserved) {
  storage::Association row = ToStorage(cluster_id_, given);
  if (!IsRootAccount(row)) {
    const auto parent =
        account_ids_.find(row.user_name.empty() ? given.parent_account : row.account);
    if (parent == account_ids_.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("dump: account ", row.account, " has no parent"));
    }
    row.parent_id = parent->second;
  }
  const auto found = unnamed_.find(NameOf(row));
  if (found == unnamed_.end()) {
    row.id = *(*reserved)++;
    if (row.user_name.empty()) AddAccount(row);
    inserts_.push_back(std::move(row));
    return absl::OkStatus();
  }
  const storage::Association& before = *found->second;
  unnamed_.erase(found);
  row.id = before.id;
  if (row == before) {
    ++unchanged_;
  } else {
    updated_.push_back(&before);
    updates_.push_back(std::move(row));
  }
  return absl::OkStatus();
}

std::vector<int64_t> Plan::Unnamed() const {
  std::vector<int64_t> ids;
  for (const auto& [name, row] : unnamed_) {
    if (!IsRootAccount(*row)) ids.push_back(row->id);
  }
  return ids;
}

Attributes Plan::AuditedAttributes(const storage::Association& row) const {
  Attributes attributes = AttributesOf(row);
  if (!row.user_name.empty() || !row.parent_id.has_value()) return attributes;
  const auto parent = accounts_.find(*row.parent_id);
  if (parent != accounts_.end()) attributes["Parent"] = parent->second;
  return attributes;
}

void Plan::AuditAll(bool clean, ImportAudit* audit) const {
  std::vector<const storage::Association*> deleted;
  for (const auto& [name, row] : unnamed_) {
    if (clean && !IsRootAccount(*row)) deleted.push_back(row);
  }
  absl::c_sort(deleted, [](const auto* a, const auto* b) { return a->id < b->id; });
  for (const storage::Association* row : deleted) {
    audit->Changed(
        [&](ChangeList* list) { list->Deleted(ObjectName(*row), AuditedAttributes(*row)); });
  }
  for (size_t i = 0; i < updates_.size(); ++i) {
    audit->Changed([&](ChangeList* list) {
      list->Updated(ObjectName(updates_[i]), AuditedAttributes(*updated_[i]),
                    AuditedAttributes(updates_[i]));
    });
  }
  for (const storage::Association& row : inserts_) {
    audit->Created(
        [&](ChangeList* list) { list->Created(ObjectName(row), AuditedAttributes(row)); });
  }
}

// Every line; root first if the dump has it.
std::vector<const slurm::DumpAssociation*> Lines(const slurm::SacctmgrDump& dump) {
  std::vector<const slurm::DumpAssociation*> lines;
  if (!dump.cluster.empty()) lines.push_back(&dump.root);
  for (const slurm::DumpAssociation& line : dump.associations) {
    const bool is_root = line.association.account == kRoot && line.association.user.empty();
    if (!is_root) lines.push_back(&line);
  }
  return lines;
}

absl::StatusOr<Plan> MakePlan(storage::AssociationStore& store, int32_t cluster_id,
                              const std::vector<storage::Association>& current,
                              const slurm::SacctmgrDump& dump) {
  Plan plan(cluster_id, current);
  int64_t new_lines = 0;
  for (const slurm::DumpAssociation* line : Lines(dump)) new_lines += plan.IsNew(*line) ? 1 : 0;
  absl::StatusOr<std::vector<int64_t>> ids = store.ReserveIds(new_lines);
  if (!ids.ok()) return ids.status();
  auto reserved = ids->begin();
  for (const slurm::DumpAssociation* line : Lines(dump)) {
    if (absl::Status status = plan.Add(*line, &reserved); !status.ok()) return status;
  }
  return plan;
}

// By user and account.
using Coordinations = absl::flat_hash_set<std::pair<std::string, std::string>>;

// The accounts of Coordinator=, each once. One user may coordinate all accounts of a site.
void AddCoordinated(const slurm::DumpAssociation& line, Coordinations* seen,
                    std::vector<std::string>* accounts) {
  for (const slurm::DumpOption& option : line.other_options) {
    if (!IsCoordinatorOption(option.name)) continue;
    for (absl::string_view account : absl::StrSplit(option.value, ',', absl::SkipWhitespace())) {
      account = absl::StripAsciiWhitespace(account);
      const bool is_new = seen->emplace(line.association.user, account).second;
      if (is_new) accounts->emplace_back(account);
    }
  }
}

// The users' attributes, collected over all their associations in the dump.
absl::btree_map<std::string, storage::ClusterUser> UsersOf(int32_t cluster_id,
                                                           const slurm::SacctmgrDump& dump) {
  absl::btree_map<std::string, storage::ClusterUser> users;
  Coordinations coordinations;
  for (const slurm::DumpAssociation& line : dump.associations) {
    if (line.association.user.empty()) continue;
    storage::ClusterUser& user = users[line.association.user];
    user.cluster_id = cluster_id;
    user.name = line.association.user;
    if (!line.admin_level.empty()) user.admin_level = line.admin_level;
    AddCoordinated(line, &coordinations, &user.coordinated);
  }
  for (const auto& [name, account] : slurm::DefaultAccounts(dump)) {
    users[name].default_account = account;
  }
  return users;
}

// Attributes that the dump does not contain stay unchanged.
void KeepMissing(const storage::ClusterUser& stored, storage::ClusterUser* user) {
  if (user->default_account.empty()) user->default_account = stored.default_account;
  if (user->admin_level.empty()) user->admin_level = stored.admin_level;
  if (user->coordinated.empty()) user->coordinated = stored.coordinated;
}

// Returns whether anything changed.
absl::StatusOr<bool> ImportUsers(storage::Transaction& transaction, int32_t cluster_id,
                                 const slurm::SacctmgrDump& dump, bool clean, ImportAudit* audit) {
  storage::ClusterUserStore store(transaction);
  absl::StatusOr<std::vector<storage::ClusterUser>> current = store.List(cluster_id);
  if (!current.ok()) return current.status();
  auto users = UsersOf(cluster_id, dump);
  std::vector<std::string> unnamed;
  std::vector<storage::ClusterUser> changed;
  for (const storage::ClusterUser& user : *current) {
    const auto found = users.find(user.name);
    if (found == users.end()) {
      unnamed.push_back(user.name);
      if (clean) RecordChange(&user, nullptr, audit);
      continue;
    }
    if (!clean) KeepMissing(user, &found->second);
    if (!(found->second == user)) {
      RecordChange(&user, &found->second, audit);
      changed.push_back(std::move(found->second));
    }
    users.erase(found);
  }
  for (auto& [name, user] : users) {
    RecordChange(nullptr, &user, audit);
    changed.push_back(std::move(user));
  }
  if (!changed.empty()) {
    if (absl::Status status = store.Upsert(changed); !status.ok()) return status;
  }
  if (!clean || unnamed.empty()) return !changed.empty();
  if (absl::Status status = store.Delete(cluster_id, unnamed); !status.ok()) return status;
  return true;
}

// Of the default accounts whose users have an association neither in the dump nor among `kept`.
std::vector<std::string> WarningsOfDefaults(const slurm::SacctmgrDump& dump,
                                            absl::Span<const storage::Association> kept) {
  absl::flat_hash_set<std::pair<absl::string_view, absl::string_view>> members;
  for (const storage::Association& association : kept) {
    members.emplace(association.user_name, association.account);
  }
  std::vector<std::string> warnings;
  for (const slurm::LackingDefault& lacking : dump.lacking_defaults) {
    if (!members.contains({lacking.user, lacking.account})) warnings.push_back(lacking.warning);
  }
  slurm::LimitWarnings(warnings);
  return warnings;
}

}  // namespace

absl::StatusOr<AssociationChanges> ImportAssociations(storage::Transaction& transaction,
                                                      int32_t cluster_id,
                                                      const slurm::SacctmgrDump& dump, bool clean,
                                                      absl::Time now, ImportAudit* audit,
                                                      std::vector<std::string>* warnings) {
  storage::AssociationStore store(transaction);
  absl::StatusOr<std::vector<storage::Association>> current = store.List(cluster_id);
  if (!current.ok()) return current.status();
  absl::StatusOr<Plan> plan = MakePlan(store, cluster_id, *current, dump);
  if (!plan.ok()) return plan.status();

  AssociationChanges changes;
  changes.counts.created = static_cast<int64_t>(plan->inserts().size());
  changes.counts.updated = static_cast<int64_t>(plan->updates().size());
  changes.counts.unchanged = plan->unchanged();
  std::vector<storage::Association> inserts = plan->inserts();
  std::vector<storage::Association> updates = plan->updates();
  if (absl::Status s = ReviveDeleted(transaction, cluster_id, &inserts, &updates); !s.ok()) {
    return s;
  }
  if (absl::Status s = store.Insert(inserts); !s.ok()) return s;
  if (absl::Status s = store.Update(updates); !s.ok()) return s;
  if (clean) {
    const std::vector<int64_t> unnamed = plan->Unnamed();
    changes.counts.deleted = static_cast<int64_t>(unnamed.size());
    if (absl::Status s = store.Delete(cluster_id, unnamed, now); !s.ok()) return s;
  }
  plan->AuditAll(clean, audit);
  absl::StatusOr<bool> users_changed = ImportUsers(transaction, cluster_id, dump, clean, audit);
  if (!users_changed.ok()) return users_changed.status();
  changes.users_changed = *users_changed;
  if (clean) current->clear();
  const std::vector<std::string> lacking = WarningsOfDefaults(dump, *current);
  warnings->insert(warnings->end(), lacking.begin(), lacking.end());
  return changes;
}

}  // namespace priorityd::administration
