#include "server/administration/merge_change.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/errors/error_details.h"
#include "engine/slurm/words/file_violations.h"
#include "storage/grant_store.h"
#include "storage/lease_store.h"
#include "storage/replica_store.h"
#include "storage/user_alias_store.h"

namespace priorityd::administration {
namespace {

using storage::MergeFault;
using storage::UserMerge;
using storage::UserMergeStore;

using Merges = std::vector<UserMerge>;

// An error names so many accounts.
constexpr size_t kNamedAccounts = 3;

constexpr size_t kMostWarnedUsers = 10;

std::string MergeObject(const std::string& from_user) {
  return absl::StrCat("merge of user ", slurm::Quoted(from_user));
}

Attributes AttributesOfMerge(const UserMerge& merge) { return {{"Into", merge.into_user}}; }

absl::Status RefuseMerge(absl::string_view reason, const std::string& message) {
  return errors::WithReason(absl::FailedPreconditionError(message), reason);
}

const UserMerge* FindMerge(const Merges& merges, const std::string& from_user) {
  const auto found =
      absl::c_find_if(merges, [&](const UserMerge& merge) { return merge.from_user == from_user; });
  return found == merges.end() ? nullptr : &*found;
}

// Both names are users, and no aliases.
absl::Status CheckUsersOfMerge(storage::Transaction& transaction, int32_t cluster_id,
                               const UserMerge& merge) {
  storage::UserAliasStore store(transaction);
  const std::vector<std::string> names = {merge.from_user, merge.into_user};
  const auto users = store.UsersAmong(cluster_id, names);
  if (!users.ok()) return users.status();
  const auto aliases = store.AliasesAmong(cluster_id, names);
  if (!aliases.ok()) return aliases.status();
  for (const auto& [field, name] : {std::pair("from_user", names[0]), {"into_user", names[1]}}) {
    if (!absl::c_linear_search(*users, name)) {
      return errors::WithReason(
          absl::NotFoundError(absl::StrCat(field, ": got ", slurm::Quoted(name),
                                           ", want a user with an association")),
          "UNKNOWN_USER");
    }
    if (!absl::c_linear_search(*aliases, name)) continue;
    return RefuseMerge("USER_IS_ALIAS", absl::StrCat(field, ": got ", slurm::Quoted(name),
                                                     ", which is an alias: remove that first"));
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

absl::Status CheckMergeCount(const Merges& merges) {
  if (static_cast<int64_t>(merges.size()) < kMaxMerges) return absl::OkStatus();
  return RefuseMerge("TOO_MANY_MERGES",
                     absl::StrCat("from_user: got ", merges.size() + 1,
                                  " merges of the cluster, want at most ", kMaxMerges));
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

// Those of `own` that `others` does not contain, as text.
std::vector<std::string> MergesLackingIn(const Merges& others, const Merges& own) {
  std::vector<std::string> lacking;
  for (const UserMerge& merge : own) {
    const UserMerge* other = FindMerge(others, merge.from_user);
    if (other != nullptr && other->into_user == merge.into_user) continue;
    lacking.push_back(
        absl::StrCat(slurm::Quoted(merge.from_user), " into ", slurm::Quoted(merge.into_user)));
  }
  return lacking;
}

// The accounts of the first fault's merge, each once.
std::string AccountsOfFault(const std::vector<MergeFault>& faults) {
  std::vector<std::string> accounts;
  for (const MergeFault& fault : faults) {
    if (fault.is_deleted || fault.from_user != faults.front().from_user) continue;
    if (accounts.size() < kNamedAccounts) accounts.push_back(fault.account);
  }
  return absl::StrJoin(accounts, ",");
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

// Of another change, which names no merge: by the association.
absl::Status ToError(const std::vector<MergeFault>& faults) {
  const MergeFault& first = faults.front();
  const std::string from = slurm::Quoted(first.from_user);
  const std::string into = slurm::Quoted(first.into_user);
  if (first.is_deleted) {
    return RefuseMerge("USER_IS_MERGED",
                       absl::StrCat("user ", from, " of account ", slurm::Quoted(first.account),
                                    ": got its deletion while it is merged into ", into,
                                    ", want it unmerged first: its usage would be the account's"));
  }
  return RefuseMerge(
      "MERGE_LACKS_ASSOCIATION",
      absl::StrCat("user ", into, " of account ", slurm::Quoted(AccountsOfFault(faults)),
                   ": got no association that takes the usage of ", from,
                   ", which is merged into it, want one, or ", from, " unmerged first"));
}

// The surviving user takes all usage.
absl::Status CheckInto(UserMergeStore& store, int32_t cluster_id, const UserMerge& merge) {
  const auto faults = store.FindFaults(cluster_id, merge.merged_at);
  if (!faults.ok()) return faults.status();
  return faults->empty() ? absl::OkStatus() : LacksError(*faults);
}

}  // namespace

absl::Status CheckReplicas(storage::Transaction& transaction, absl::string_view what,
                           int32_t migration) {
  const auto replicas = storage::ReplicaStore(transaction).List();
  if (!replicas.ok()) return replicas.status();
  for (const storage::Replica& replica : *replicas) {
    const bool runs = replica.unseen_seconds < absl::ToDoubleSeconds(storage::kReplicaEnded);
    if (!runs || replica.known_migration >= migration) continue;
    return RefuseMerge("OLD_REPLICA",
                       absl::StrCat(what, " beside the replica ", slurm::Quoted(replica.address),
                                    " of version ", slurm::Quoted(replica.version),
                                    ", which does not know it, want it replaced first"));
  }
  return absl::OkStatus();
}

absl::Status WarnOfMergesOnlyInMember(storage::Transaction& transaction,
                                      const storage::DomainMember& member, ChangeList* list) {
  UserMergeStore store(transaction);
  const auto own = store.List(member.cluster_id);
  if (!own.ok() || own->empty()) return own.status();
  const auto of_domain = store.List(member.domain_id);
  if (!of_domain.ok()) return of_domain.status();
  const std::vector<std::string> lacking = MergesLackingIn(*of_domain, *own);
  if (lacking.empty()) return absl::OkStatus();
  const bool all = lacking.size() <= kMostWarnedUsers;
  const auto end = all ? lacking.end() : lacking.begin() + kMostWarnedUsers;
  list->Warn(absl::StrCat(member.cluster, " has merges of users that the usage domain ",
                          member.domain, " lacks (", lacking.size(),
                          "), where the usage of each user counts for that user alone; merge them "
                          "there too: ",
                          absl::StrJoin(lacking.begin(), end, ", "), all ? "" : ", ..."));
  return absl::OkStatus();
}

absl::Status MergeUsers(storage::Transaction& transaction, const storage::Cluster& cluster,
                        const UserMerge& merge, absl::Time time, ChangeList* list) {
  const int64_t unchanged = list->counts().unchanged;
  absl::Status status = CopyMerge(transaction, cluster, merge, list);
  if (!status.ok() || list->counts().unchanged > unchanged) return status;
  status = WarnOfMergedLeases(transaction, cluster.id, merge, list);
  if (status.ok()) status = WarnOfMergedGrants(transaction, cluster.id, merge, time, list);
  if (!status.ok()) return status;
  const auto membership = storage::DomainStore(transaction).Find(cluster.id);
  if (!membership.ok() || !membership->has_value()) return membership.status();
  return WarnOfMergesOnlyInMember(transaction, **membership, list);
}

absl::Status CopyMerge(storage::Transaction& transaction, const storage::Cluster& cluster,
                       const UserMerge& merge, ChangeList* list) {
  UserMergeStore store(transaction);
  const auto merges = store.List(cluster.id);
  if (!merges.ok()) return merges.status();
  if (const UserMerge* held = FindMerge(*merges, merge.from_user); held != nullptr) {
    if (held->into_user != merge.into_user) {
      return RefuseMerge(
          "ALREADY_MERGED",
          absl::StrCat("from_user: got ", slurm::Quoted(merge.from_user), ", which is merged into ",
                       slurm::Quoted(held->into_user), ", want it unmerged first"));
    }
    list->Unchanged();
    return absl::OkStatus();
  }
  absl::Status status = CheckUsersOfMerge(transaction, cluster.id, merge);
  if (status.ok()) status = CheckChains(*merges, merge);
  if (status.ok()) status = CheckMergeCount(*merges);
  if (status.ok()) status = CheckReplicas(transaction, "from_user: got a merge");
  if (status.ok()) status = store.Insert(cluster.id, merge);
  if (status.ok()) status = CheckInto(store, cluster.id, merge);
  if (status.ok()) list->Created(MergeObject(merge.from_user), AttributesOfMerge(merge));
  return status;
}

absl::Status UnmergeUsers(storage::Transaction& transaction, const storage::Cluster& cluster,
                          const std::string& from_user, ChangeList* list) {
  UserMergeStore store(transaction);
  const auto merges = store.List(cluster.id);
  if (!merges.ok()) return merges.status();
  const UserMerge* held = FindMerge(*merges, from_user);
  if (held == nullptr) {
    return errors::WithReason(
        absl::NotFoundError(
            absl::StrCat("from_user: got ", slurm::Quoted(from_user), ", want a merged user")),
        "UNKNOWN_MERGE");
  }
  list->Deleted(MergeObject(from_user), AttributesOfMerge(*held));
  return store.Delete(cluster.id, from_user);
}

absl::Status WarnOfMergedUsers(storage::Transaction& transaction, int32_t cluster_id,
                               const std::vector<ObjectKey>& meant, ChangeList* list) {
  absl::flat_hash_set<absl::string_view> users;
  for (const ObjectKey& key : meant) {
    if (key.kind == "association" && !key.user.empty()) users.insert(key.user);
  }
  if (users.empty()) return absl::OkStatus();
  const auto merges = UserMergeStore(transaction).List(cluster_id);
  if (!merges.ok()) return merges.status();
  size_t warned = 0;
  for (const UserMerge& merge : *merges) {
    if (!users.contains(merge.from_user)) continue;
    if (warned++ == kMostWarnedUsers) break;
    list->Warn(absl::StrCat("user ", slurm::Quoted(merge.from_user), " is merged into ",
                            slurm::Quoted(merge.into_user),
                            ", whose shares, limits, QOS and priority hold meanwhile"));
  }
  return absl::OkStatus();
}

absl::Status CheckMerges(storage::Transaction& transaction, int32_t cluster_id, absl::Time now) {
  const auto faults = UserMergeStore(transaction).FindFaults(cluster_id, now);
  if (!faults.ok()) return faults.status();
  return faults->empty() ? absl::OkStatus() : ToError(*faults);
}

}  // namespace priorityd::administration
