#include "server/administration/tree/merge_rows.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/errors/error_details.h"
#include "engine/slurm/words/file_violations.h"
#include "server/administration/tree/merge_change.h"
#include "storage/configuration/lease_store.h"
#include "storage/configuration/user_alias_store.h"
#include "storage/grants/grant_store.h"

namespace priorityd::administration {
namespace {

using storage::MergeFault;
using storage::UserMerge;
using storage::UserMergeStore;

// An error names so many accounts.
constexpr size_t kNamedAccounts = 3;

absl::Status RefuseAlias(absl::string_view field, const std::string& name) {
  return RefuseMerge("USER_IS_ALIAS", absl::StrCat(field, ": got ", slurm::Quoted(name),
                                                   ", which is an alias: remove that first"));
}

absl::Status UnknownUser(absl::string_view field, const std::string& name) {
  return errors::WithReason(absl::NotFoundError(absl::StrCat(field, ": got ", slurm::Quoted(name),
                                                             ", want a user with an association")),
                            "UNKNOWN_USER");
}

// Both names of each merge are users, and no aliases. `is_taken`: it is of the domain of a member;
// without the merged user there is nothing to merge.
absl::Status CheckUsersOfMerges(storage::Transaction& transaction, int32_t cluster_id,
                                const Merges& merges, bool is_taken) {
  std::vector<std::string> names;
  for (const UserMerge& merge : merges) {
    names.insert(names.end(), {merge.from_user, merge.into_user});
  }
  storage::UserAliasStore store(transaction);
  const auto listed_users = store.UsersAmong(cluster_id, names);
  if (!listed_users.ok()) return listed_users.status();
  const auto listed_aliases = store.AliasesAmong(cluster_id, names);
  if (!listed_aliases.ok()) return listed_aliases.status();
  const absl::flat_hash_set<std::string> users(listed_users->begin(), listed_users->end());
  const absl::flat_hash_set<std::string> aliases(listed_aliases->begin(), listed_aliases->end());
  for (const UserMerge& merge : merges) {
    if (is_taken && !users.contains(merge.from_user)) continue;
    for (const auto& [field, name] :
         {std::pair("from_user", merge.from_user), {"into_user", merge.into_user}}) {
      // CheckInto names the account of a member in which the other user is missing.
      if (!is_taken && !users.contains(name)) return UnknownUser(field, name);
      if (aliases.contains(name)) return RefuseAlias(field, name);
    }
  }
  return absl::OkStatus();
}

absl::Status CheckChains(const Merges& merges, const UserMerge& merge) {
  if (const UserMerge* of_into = FindMerge(merges, merge.into_user); of_into != nullptr) {
    return RefuseMerge(
        "MERGE_CHAIN",
        absl::StrCat("into_user: got ", slurm::Quoted(merge.into_user), ", which is merged into ",
                     slurm::Quoted(of_into->into_user), ", want a user that is not merged"));
  }
  const auto into_from = absl::c_find_if(
      merges, [&](const UserMerge& other) { return other.into_user == merge.from_user; });
  if (into_from == merges.end()) return absl::OkStatus();
  return RefuseMerge("MERGE_CHAIN",
                     absl::StrCat("from_user: got ", slurm::Quoted(merge.from_user),
                                  ", into which ", slurm::Quoted(into_from->from_user),
                                  " is merged, want a user without merged ones"));
}

absl::Status CheckMergeCount(size_t merges) {
  if (static_cast<int64_t>(merges) <= kMaxMerges) return absl::OkStatus();
  return RefuseMerge(
      "TOO_MANY_MERGES",
      absl::StrCat("from_user: got ", merges, " merges of the cluster, want at most ", kMaxMerges));
}

absl::Status WarnOfMergedLeases(storage::Transaction& transaction, int32_t cluster_id,
                                const UserMerge& merge, ChangeList* list) {
  const auto leases = storage::LeaseStore(transaction).ListOpen(cluster_id);
  if (!leases.ok()) return leases.status();
  for (const storage::Lease& lease : *leases) {
    if (lease.user_name != merge.from_user || lease.kind != "association") continue;
    list->Warn(absl::StrCat("lease ", lease.id, " of ", lease.object,
                            " changes nothing while the user is merged"));
  }
  return absl::OkStatus();
}

absl::Status WarnOfMergedGrants(storage::Transaction& transaction, int32_t cluster_id,
                                const UserMerge& merge, absl::Time time, ChangeList* list) {
  const auto grants = storage::GrantStore(transaction).List(cluster_id);
  if (!grants.ok()) return grants.status();
  for (const storage::Grant& grant : *grants) {
    if (grant.user_name != merge.from_user || grant.end_time <= time) continue;
    list->Warn(absl::StrCat("grant ", slurm::Quoted(grant.name), " of user ",
                            slurm::Quoted(merge.from_user),
                            " holds for nobody while the user is merged"));
  }
  return absl::OkStatus();
}

// Of MergeUsers.
absl::Status LacksError(const std::vector<MergeFault>& faults) {
  const std::string into = slurm::Quoted(faults.front().into_user);
  const std::string accounts = slurm::Quoted(AccountsOfFault(faults));
  return RefuseMerge(
      "MERGE_LACKS_ASSOCIATION",
      absl::StrCat("into_user: got ", into, ", which has no association that takes the usage of ",
                   slurm::Quoted(faults.front().from_user), " in account ", accounts,
                   ", want one: sacctmgr add user ", into, " account=", accounts));
}

// The surviving users take all usage.
absl::Status CheckInto(UserMergeStore& store, int32_t cluster_id) {
  const auto faults = store.FindFaults(cluster_id, /*deleted_at=*/absl::InfinitePast());
  if (!faults.ok()) return faults.status();
  return faults->empty() ? absl::OkStatus() : LacksError(*faults);
}

// The cluster has the user's merge already; `domain` as in AddMerges.
absl::Status KeepHeld(UserMergeStore& store, int32_t cluster_id, const UserMerge& held,
                      const UserMerge& merge, const std::string& domain, ChangeList* list) {
  if (held.into_user != merge.into_user) {
    return RefuseMerge(
        "ALREADY_MERGED",
        absl::StrCat("from_user: got ", slurm::Quoted(merge.from_user), ", which is merged into ",
                     slurm::Quoted(held.into_user), ", want it unmerged first"));
  }
  if (held.of_domain || !merge.of_domain) {
    list->Unchanged();
    return absl::OkStatus();
  }
  if (!domain.empty()) {
    list->Unchanged();
    list->Warn(absl::StrCat("user ", slurm::Quoted(held.from_user),
                            " is merged by the member itself, and stays merged when the usage "
                            "domain's merge ends"));
    return absl::OkStatus();
  }
  list->Updated(MergeObject(held.from_user), AttributesOfMerge(held, domain),
                AttributesOfMerge(merge, domain));
  return store.SetOfDomain(cluster_id, held.from_user, true);
}

}  // namespace

std::string MergeObject(const std::string& from_user) {
  return absl::StrCat("merge of user ", slurm::Quoted(from_user));
}

Attributes AttributesOfMerge(const UserMerge& merge, const std::string& domain) {
  Attributes attributes = {{"Into", merge.into_user}};
  if (!domain.empty()) {
    attributes["Domain"] = domain;
  } else if (merge.of_domain) {
    attributes["Members"] = "all";
  }
  return attributes;
}

absl::Status RefuseMerge(absl::string_view reason, const std::string& message) {
  return errors::WithReason(absl::FailedPreconditionError(message), reason);
}

const UserMerge* FindMerge(const Merges& merges, const std::string& from_user) {
  const auto found =
      absl::c_find_if(merges, [&](const UserMerge& merge) { return merge.from_user == from_user; });
  return found == merges.end() ? nullptr : &*found;
}

std::string AccountsOfFault(const std::vector<MergeFault>& faults) {
  std::vector<std::string> accounts;
  for (const MergeFault& fault : faults) {
    if (fault.is_deleted || fault.from_user != faults.front().from_user) continue;
    if (accounts.size() < kNamedAccounts) accounts.push_back(fault.account);
  }
  return absl::StrJoin(accounts, ",");
}

absl::Status WarnOfMerge(storage::Transaction& transaction, int32_t cluster_id,
                         const UserMerge& merge, absl::Time time, ChangeList* list) {
  absl::Status status = WarnOfMergedLeases(transaction, cluster_id, merge, list);
  return status.ok() ? WarnOfMergedGrants(transaction, cluster_id, merge, time, list) : status;
}

absl::Status AddMerges(storage::Transaction& transaction, int32_t cluster_id, const Merges& merges,
                       const std::string& domain, ChangeList* list) {
  UserMergeStore store(transaction);
  const auto held = store.List(cluster_id);
  if (!held.ok()) return held.status();
  Merges added;
  for (const UserMerge& merge : merges) {
    const UserMerge* same = FindMerge(*held, merge.from_user);
    if (same == nullptr) {
      added.push_back(merge);
    } else if (absl::Status s = KeepHeld(store, cluster_id, *same, merge, domain, list); !s.ok()) {
      return s;
    }
  }
  if (added.empty()) return absl::OkStatus();
  absl::Status status = CheckUsersOfMerges(transaction, cluster_id, added, !domain.empty());
  for (const UserMerge& merge : added) {
    if (status.ok()) status = CheckChains(*held, merge);
  }
  if (status.ok()) status = CheckMergeCount(held->size() + added.size());
  if (status.ok()) status = CheckReplicas(transaction, "from_user: got a merge");
  if (status.ok()) status = store.Insert(cluster_id, added);
  if (status.ok()) status = CheckInto(store, cluster_id);
  if (!status.ok()) return status;
  for (const UserMerge& merge : added) {
    list->Created(MergeObject(merge.from_user), AttributesOfMerge(merge, domain));
  }
  return absl::OkStatus();
}

}  // namespace priorityd::administration
