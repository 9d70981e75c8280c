#include "server/administration/tree/merge_change.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/errors/error_details.h"
#include "engine/slurm/words/file_violations.h"
#include "server/administration/tree/merge_rows.h"
#include "storage/snapshots/replica_store.h"

namespace priorityd::administration {
namespace {

using storage::MergeFault;
using storage::UserMerge;
using storage::UserMergeStore;

constexpr size_t kMostWarnedUsers = 10;

// The merges of `own` that `others` does not contain, as text.
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

// The members of the cluster; it has some.
absl::StatusOr<Members> FindSomeMembers(storage::Transaction& transaction,
                                        const storage::Cluster& cluster, const MemberCalls& calls) {
  absl::Status known = CheckReplicas(transaction, "with_members: got it", kMigrationOfDomainMerges);
  if (!known.ok()) return known;
  auto members = FindMembers(transaction, cluster.id, calls);
  if (!members.ok() || !members->empty()) return members;
  return RefuseMerge("NO_MEMBERS", absl::StrCat("with_members: got it for ", cluster.name,
                                                ", want a usage domain with members"));
}

// The merge of this user that the cluster's usage domain has for its members; nullopt = none.
absl::StatusOr<std::optional<UserMerge>> MergeOfDomain(
    UserMergeStore& store, const std::optional<storage::DomainMember>& membership,
    const std::string& from_user) {
  if (!membership.has_value()) return std::nullopt;
  const auto merges = store.List(membership->domain_id);
  if (!merges.ok()) return merges.status();
  const UserMerge* merge = FindMerge(*merges, from_user);
  if (merge == nullptr || !merge->of_domain) return std::nullopt;
  return *merge;
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

absl::StatusOr<std::set<int32_t>> MembersOfMerge(storage::Transaction& transaction,
                                                 const storage::Cluster& cluster,
                                                 const UserMerge& merge, const MemberCalls& calls) {
  std::set<int32_t> ids;
  if (!merge.of_domain) return ids;
  const auto members = FindMembers(transaction, cluster.id, calls);
  if (!members.ok()) return members.status();
  for (const storage::DomainMember& member : *members) ids.insert(member.cluster_id);
  return ids;
}

absl::StatusOr<std::set<int32_t>> MembersOfUnmerge(storage::Transaction& transaction,
                                                   const storage::Cluster& cluster,
                                                   const std::string& from_user,
                                                   const MemberCalls& calls) {
  const auto merges = UserMergeStore(transaction).List(cluster.id);
  if (!merges.ok()) return merges.status();
  const UserMerge* held = FindMerge(*merges, from_user);
  return MembersOfMerge(transaction, cluster, held == nullptr ? UserMerge() : *held, calls);
}

absl::Status MergeUsers(storage::Transaction& transaction, const storage::Cluster& cluster,
                        const UserMerge& merge, const MemberCalls& calls, ChangeList* list) {
  Members members;
  if (merge.of_domain) {
    auto found = FindSomeMembers(transaction, cluster, calls);
    if (!found.ok()) return found.status();
    members = *std::move(found);
  }
  const int64_t unchanged = list->counts().unchanged;
  absl::Status status = CopyMerge(transaction, cluster, merge, list);
  const bool is_new = list->counts().unchanged == unchanged;
  if (status.ok() && is_new) {
    status = WarnOfMerge(transaction, cluster.id, merge, calls.time(cluster.name), list);
  }
  for (const storage::DomainMember& member : members) {
    if (!status.ok()) return status;
    status = MergeInMember(transaction, member, merge, calls.time(member.cluster), list);
  }
  if (!status.ok() || !is_new) return status;
  const auto membership = storage::DomainStore(transaction).Find(cluster.id);
  if (!membership.ok() || !membership->has_value()) return membership.status();
  return WarnOfMergesOnlyInMember(transaction, **membership, list);
}

absl::Status CopyMerge(storage::Transaction& transaction, const storage::Cluster& cluster,
                       const UserMerge& merge, ChangeList* list) {
  return AddMerges(transaction, cluster.id, {merge}, /*domain=*/"", list);
}

absl::Status UnmergeUsers(storage::Transaction& transaction, const storage::Cluster& cluster,
                          const std::string& from_user, const MemberCalls& calls,
                          ChangeList* list) {
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
  if (!held->of_domain) return EndOwnMerge(transaction, cluster.id, *held, list);
  const auto membership = storage::DomainStore(transaction).Find(cluster.id);
  if (!membership.ok()) return membership.status();
  if (membership->has_value()) {
    const std::string& domain = (*membership)->domain;
    return RefuseMerge(
        "MERGE_OF_DOMAIN",
        absl::StrCat("from_user: got ", slurm::Quoted(from_user), ", which the usage domain ",
                     domain, " merges with its members, want it unmerged there"));
  }
  const auto members = FindMembers(transaction, cluster.id, calls);
  if (!members.ok()) return members.status();
  list->Deleted(MergeObject(from_user), AttributesOfMerge(*held, /*domain=*/""));
  absl::Status status = store.Delete(cluster.id, from_user);
  for (const storage::DomainMember& member : *members) {
    if (status.ok()) status = UnmergeInMember(transaction, member, from_user, list);
  }
  return status;
}

absl::Status EndOwnMerge(storage::Transaction& transaction, int32_t cluster_id,
                         const UserMerge& merge, ChangeList* list) {
  const std::string object = MergeObject(merge.from_user);
  const Attributes before = AttributesOfMerge(merge, /*domain=*/"");
  const auto membership = storage::DomainStore(transaction).Find(cluster_id);
  if (!membership.ok()) return membership.status();
  UserMergeStore store(transaction);
  const auto stays = MergeOfDomain(store, *membership, merge.from_user);
  if (!stays.ok()) return stays.status();
  if (!stays->has_value()) {
    list->Deleted(object, before);
    return store.Delete(cluster_id, merge.from_user);
  }
  const std::string& domain = (*membership)->domain;
  list->Updated(object, before, AttributesOfMerge(**stays, domain));
  list->Warn(absl::StrCat("user ", slurm::Quoted(merge.from_user),
                          " stays merged: the usage domain ", domain, " merges it"));
  return store.SetOfDomain(cluster_id, merge.from_user, true);
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
