#include "server/administration/tree/domain_merges.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "engine/slurm/words/file_violations.h"
#include "server/administration/tree/merge_rows.h"

namespace priorityd::administration {
namespace {

using storage::DomainMember;
using storage::UserMerge;
using storage::UserMergeStore;

// The same error, with the member before its text.
absl::Status InMember(const DomainMember& member, const absl::Status& status) {
  if (status.ok() || absl::IsUnavailable(status) || absl::IsAborted(status)) return status;
  return errors::WithReason(
      absl::Status(status.code(), absl::StrCat("member ", member.cluster, ": ", status.message())),
      errors::ReasonOf(status));
}

absl::Status AddInMember(storage::Transaction& transaction, const DomainMember& member,
                         const Merges& merges, ChangeList* own) {
  return InMember(member, AddMerges(transaction, member.cluster_id, merges, member.domain, own));
}

// The cluster is no domain any more.
absl::Status KeepAsOwn(UserMergeStore& store, int32_t cluster_id, ChangeList* own) {
  auto merges = store.List(cluster_id);
  if (!merges.ok()) return merges.status();
  for (UserMerge& merge : *merges) {
    if (!merge.of_domain) continue;
    const Attributes before = AttributesOfMerge(merge, "");
    merge.of_domain = false;
    own->Updated(MergeObject(merge.from_user), before, AttributesOfMerge(merge, ""));
    absl::Status set = store.SetOfDomain(cluster_id, merge.from_user, false);
    if (!set.ok()) return set;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Members> FindMembers(storage::Transaction& transaction, int32_t domain_id,
                                    const MemberCalls& calls) {
  auto members = storage::DomainStore(transaction).MembersOf(domain_id);
  if (!members.ok()) return members.status();
  for (const DomainMember& member : *members) {
    absl::Status may = calls.check(member.cluster);
    if (!may.ok()) return InMember(member, may);
  }
  absl::c_sort(*members, [](const DomainMember& a, const DomainMember& b) {
    return a.cluster_id < b.cluster_id;
  });
  return members;
}

absl::Status MergeInMember(storage::Transaction& transaction, const DomainMember& member,
                           const UserMerge& merge, absl::Time time, ChangeList* list) {
  ChangeList own;
  absl::Status status = AddInMember(transaction, member, {merge}, &own);
  if (status.ok() && own.counts().created > 0) {
    status = WarnOfMerge(transaction, member.cluster_id, merge, time, &own);
  }
  list->AddOf(member.cluster_id, member.cluster, own);
  return status;
}

absl::Status UnmergeInMember(storage::Transaction& transaction, const DomainMember& member,
                             const std::string& from_user, ChangeList* list) {
  UserMergeStore store(transaction);
  const auto merges = store.List(member.cluster_id);
  if (!merges.ok()) return merges.status();
  const UserMerge* held = FindMerge(*merges, from_user);
  if (held == nullptr) return absl::OkStatus();
  if (!held->of_domain) {
    list->Warn(absl::StrCat(member.cluster, ": user ", slurm::Quoted(from_user),
                            " stays merged there: the member merges it itself"));
    return absl::OkStatus();
  }
  ChangeList own;
  own.Deleted(MergeObject(from_user), AttributesOfMerge(*held, member.domain));
  list->AddOf(member.cluster_id, member.cluster, own);
  return store.Delete(member.cluster_id, from_user);
}

absl::Status TakeOverMerges(storage::Transaction& transaction, const DomainMember& member,
                            bool joins, ChangeList* list) {
  UserMergeStore store(transaction);
  auto merges = store.List(member.domain_id);
  if (!merges.ok()) return merges.status();
  std::erase_if(*merges, [](const UserMerge& merge) { return !merge.of_domain; });
  ChangeList own;
  absl::Status status = joins ? KeepAsOwn(store, member.cluster_id, &own) : absl::OkStatus();
  if (status.ok()) status = AddInMember(transaction, member, *merges, &own);
  list->AddOf(member.cluster_id, member.cluster, own);
  return status;
}

absl::Status EndTakenMerges(storage::Transaction& transaction, const DomainMember& member,
                            ChangeList* list) {
  UserMergeStore store(transaction);
  const auto merges = store.List(member.cluster_id);
  if (!merges.ok()) return merges.status();
  ChangeList own;
  for (const UserMerge& merge : *merges) {
    if (!merge.of_domain) continue;
    own.Deleted(MergeObject(merge.from_user), AttributesOfMerge(merge, member.domain));
  }
  if (own.counts().deleted == 0) return absl::OkStatus();
  list->AddOf(member.cluster_id, member.cluster, own);
  return store.DeleteOfDomain(member.cluster_id);
}

}  // namespace priorityd::administration
