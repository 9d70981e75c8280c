#include "server/administration/leases/lease_fold.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "server/administration/settings/partition_settings.h"
#include "server/administration/settings/qos_settings.h"
#include "server/administration/settings/to_storage.h"
#include "server/administration/tree/association_attributes.h"

namespace priorityd::administration {
namespace {

template <typename Rows>
auto FindNamed(Rows& rows, const std::string& name) {
  return absl::c_find_if(rows, [&](const auto& row) { return row.name == name; });
}

absl::Status GoneError() { return absl::NotFoundError("it does not exist any more"); }

absl::Status FoldIntoAssociation(const ObjectKey& key, const std::vector<Setting>& settings,
                                 LeasedRows* rows) {
  const storage::Association* row = rows->tree.Find(key.account, key.user, key.partition);
  if (row == nullptr) return GoneError();
  const auto read = ReadSettings(settings, SettingsOf::kAssociations);
  if (!read.ok()) return read.status();
  std::set<std::string> names;
  for (const storage::Qos& qos : rows->qos) names.insert(qos.name);
  if (absl::Status s = CheckQosNames(*read, names); !s.ok()) return s;
  auto changed = WithWords(rows->tree, *row, *read);
  if (!changed.ok()) return changed.status();
  rows->tree.Put(*std::move(changed));
  return absl::OkStatus();
}

bool HasAccount(const TreeSlice& tree, const std::string& user, const std::string& account) {
  return absl::c_any_of(tree.rows(), [&](const auto& entry) {
    return entry.second.user_name == user && entry.second.account == account;
  });
}

absl::Status FoldIntoUser(const ObjectKey& key, const std::vector<Setting>& settings,
                          LeasedRows* rows) {
  const auto user = rows->users.find(key.user);
  if (user == rows->users.end()) return GoneError();
  const auto read = ReadSettings(settings, SettingsOf::kUsers);
  if (!read.ok()) return read.status();
  if (!read->default_account.has_value()) return absl::OkStatus();
  if (!HasAccount(rows->tree, key.user, *read->default_account)) {
    return absl::NotFoundError("the user is not in the account any more");
  }
  user->second.default_account = *read->default_account;
  return absl::OkStatus();
}

absl::Status FoldIntoQos(const ObjectKey& key, const std::vector<Setting>& settings,
                         LeasedRows* rows) {
  const auto qos = FindNamed(rows->qos, key.qos);
  if (qos == rows->qos.end()) return GoneError();
  const storage::Qos before = *qos;
  absl::Status status = ApplySettings(settings, &*qos);
  if (status.ok() && qos->preempt != before.preempt) status = CheckPreempt(rows->qos, {key.qos});
  if (!status.ok()) *qos = before;
  return status;
}

absl::Status FoldIntoPartition(const ObjectKey& key, const std::vector<Setting>& settings,
                               LeasedRows* rows) {
  const auto partition = FindNamed(rows->partitions, key.partition);
  if (partition == rows->partitions.end()) return GoneError();
  const auto changed = ApplySettings(settings, *partition);
  if (!changed.ok()) return changed.status();
  const int64_t id = partition->id;
  *partition = ToStorage(partition->cluster_id, changed->partition);
  partition->id = id;
  return absl::OkStatus();
}

absl::Status FoldIntoJob(const ObjectKey& key, const std::vector<Setting>& settings,
                         LeasedRows* rows) {
  const auto job = rows->jobs.find(key.job);
  if (job == rows->jobs.end()) return GoneError();
  for (const Setting& setting : settings) {
    int32_t nice = 0;
    if (setting.name != "Nice" || !absl::SimpleAtoi(setting.value, &nice)) {
      return absl::InvalidArgumentError("it is no setting of a job");
    }
    job->second.nice = nice;
  }
  return absl::OkStatus();
}

absl::Status FoldSettings(const ObjectKey& key, const std::vector<Setting>& settings,
                          LeasedRows* rows) {
  if (key.kind == "user") return FoldIntoUser(key, settings, rows);
  if (key.kind == "qos") return FoldIntoQos(key, settings, rows);
  if (key.kind == "partition") return FoldIntoPartition(key, settings, rows);
  if (key.kind == "job") return FoldIntoJob(key, settings, rows);
  return FoldIntoAssociation(key, settings, rows);
}

// The keys of associations, and the users of which all associations are needed.
struct WantedRows {
  using Name = std::tuple<absl::string_view, absl::string_view, absl::string_view>;
  absl::flat_hash_set<Name> associations;
  absl::flat_hash_set<absl::string_view> users;
};

WantedRows WantedBy(absl::Span<const storage::Lease> leases) {
  WantedRows wanted;
  for (const storage::Lease& lease : leases) {
    if (lease.kind == "association") {
      wanted.associations.emplace(lease.account, lease.user_name, lease.partition);
    } else if (lease.kind == "user") {
      wanted.users.insert(lease.user_name);
    }
  }
  return wanted;
}

// The row and all above it.
void PutWithAncestors(const storage::ClusterState& state, const storage::Association& row,
                      TreeSlice* tree) {
  const storage::Association* at = &row;
  while (at != nullptr && tree->ById(at->id) == nullptr) {
    tree->Put(*at);
    if (!at->parent_id.has_value()) return;
    const auto parent =
        std::lower_bound(state.associations.begin(), state.associations.end(), *at->parent_id,
                         [](const storage::Association& a, int64_t id) { return a.id < id; });
    const bool is_there = parent != state.associations.end() && parent->id == *at->parent_id;
    at = is_there ? &*parent : nullptr;
  }
}

}  // namespace

ObjectKey KeyOf(const storage::Lease& lease) {
  return {.kind = lease.kind,
          .account = lease.account,
          .user = lease.user_name,
          .partition = lease.partition,
          .qos = lease.qos,
          .job = lease.job_id};
}

std::vector<Setting> SettingsIn(const storage::Lease& lease) {
  std::vector<Setting> settings;
  for (size_t i = 0; i < lease.setting_names.size(); ++i) {
    const std::string& op = lease.setting_operators[i];
    settings.push_back({lease.setting_names[i],
                        op == "+="   ? SettingOperator::kAdd
                        : op == "-=" ? SettingOperator::kRemove
                                     : SettingOperator::kSet,
                        lease.setting_values[i]});
  }
  return settings;
}

std::string OperatorText(SettingOperator op) {
  if (op == SettingOperator::kAdd) return "+=";
  return op == SettingOperator::kRemove ? "-=" : "=";
}

LeasePointers LeasesAt(absl::Span<const storage::Lease> leases, absl::Time time) {
  LeasePointers active;
  for (const storage::Lease& lease : leases) {
    if (lease.begin_time <= time && time < EndOf(lease)) active.push_back(&lease);
  }
  return active;
}

LeasedRows LeasedRowsOf(const storage::ClusterState& state,
                        absl::Span<const storage::Lease> leases) {
  LeasedRows rows;
  if (leases.empty()) return rows;
  rows.qos = state.qos;
  rows.partitions = state.partitions;
  const WantedRows wanted = WantedBy(leases);
  for (const storage::Association& row : state.associations) {
    if (wanted.associations.contains({row.account, row.user_name, row.partition}) ||
        (!row.user_name.empty() && wanted.users.contains(row.user_name))) {
      PutWithAncestors(state, row, &rows.tree);
    }
  }
  for (const storage::ClusterUser& user : state.users) {
    if (wanted.users.contains(user.name)) rows.users.emplace(user.name, user);
  }
  return rows;
}

std::vector<SkippedSetting> FoldLeases(absl::Span<const storage::Lease* const> leases,
                                       LeasedRows* rows) {
  std::vector<SkippedSetting> skipped;
  for (const storage::Lease* lease : leases) {
    const ObjectKey key = KeyOf(*lease);
    const std::vector<Setting> settings = SettingsIn(*lease);
    if (FoldSettings(key, settings, rows).ok()) continue;
    for (const Setting& setting : settings) {
      const absl::Status status = FoldSettings(key, {setting}, rows);
      if (status.ok()) continue;
      skipped.push_back({lease->id, lease->object,
                         absl::StrCat(setting.name, OperatorText(setting.op), setting.value, ": ",
                                      status.message())});
    }
  }
  return skipped;
}

Attributes AttributesOf(const LeasedRows& rows, const ObjectKey& key) {
  if (key.kind == "qos") {
    const auto qos = FindNamed(rows.qos, key.qos);
    return qos == rows.qos.end() ? Attributes() : AttributesOf(*qos);
  }
  if (key.kind == "partition") {
    const auto partition = FindNamed(rows.partitions, key.partition);
    return partition == rows.partitions.end() ? Attributes() : AttributesOf(*partition);
  }
  if (key.kind == "user") {
    const auto user = rows.users.find(key.user);
    return user == rows.users.end() ? Attributes() : AttributesOf(user->second);
  }
  if (key.kind == "job") {
    const auto job = rows.jobs.find(key.job);
    if (job == rows.jobs.end()) return Attributes();
    return {{"Nice", absl::StrCat(job->second.nice)}};
  }
  const storage::Association* row = rows.tree.Find(key.account, key.user, key.partition);
  return row == nullptr ? Attributes() : AttributesOf(*row);
}

void PutLeasedRows(absl::Span<const storage::Lease* const> leases, LeasedRows rows,
                   storage::ClusterState* state) {
  if (leases.empty()) return;
  state->qos = std::move(rows.qos);
  state->partitions = std::move(rows.partitions);
  for (storage::Association& row : state->associations) {
    if (const storage::Association* leased = rows.tree.ById(row.id)) row = *leased;
  }
  for (storage::ClusterUser& user : state->users) {
    const auto leased = rows.users.find(user.name);
    if (leased != rows.users.end()) user = leased->second;
  }
}

}  // namespace priorityd::administration
