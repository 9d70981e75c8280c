// The users of an association tree that count as others.
#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "engine/priority/fair_share/association_tree.h"

namespace priorityd::priority {

AssociationTree AssociationTree::WithMergedUsers(UserMerges merges) const {
  std::vector<Association> others;
  std::vector<AssociationIndex> merged;
  for (const AssociationIndex i : by_id_) {
    if (is_user(i) && merges.contains(user(i))) {
      merged.push_back(i);
    } else {
      others.push_back(association(i));
    }
  }
  // Users have no children, so that the others are a tree.
  AssociationTree tree = *Build(std::move(others));
  tree.merges_ = std::move(merges);
  for (const AssociationIndex i : merged) {
    AssociationIndex counts_as = tree.FindUser(account(i), user(i), partition(i));
    if (counts_as == kNoAssociation) counts_as = tree.FindAccount(account(i));
    tree.merged_.push_back({id_[i], std::string(user(i)), counts_as});
  }
  tree.by_survivor_.resize(tree.merged_.size());
  std::iota(tree.by_survivor_.begin(), tree.by_survivor_.end(), 0);
  std::sort(tree.by_survivor_.begin(), tree.by_survivor_.end(), [&tree](int32_t a, int32_t b) {
    const MergedAssociation& one = tree.merged_[a];
    const MergedAssociation& other = tree.merged_[b];
    return std::tie(one.counts_as, one.user) < std::tie(other.counts_as, other.user);
  });
  return tree;
}

AssociationIndex AssociationTree::FindUser(absl::string_view account, absl::string_view user,
                                           absl::string_view partition) const {
  return FindOwn(account, SurvivorOf(user), partition);
}

AssociationIndex AssociationTree::FindMerged(int64_t id) const {
  const auto found =
      std::lower_bound(merged_.begin(), merged_.end(), id,
                       [](const MergedAssociation& a, int64_t v) { return a.id < v; });
  return found != merged_.end() && found->id == id ? found->counts_as : kNoAssociation;
}

absl::string_view AssociationTree::SurvivorOf(absl::string_view user) const {
  if (merges_.empty()) return user;
  const auto found = merges_.find(user);
  return found == merges_.end() ? user : found->second;
}

std::vector<absl::string_view> AssociationTree::MergedInto(AssociationIndex i) const {
  std::vector<absl::string_view> users;
  auto at =
      std::lower_bound(by_survivor_.begin(), by_survivor_.end(), i,
                       [this](int32_t a, AssociationIndex v) { return merged_[a].counts_as < v; });
  for (; at != by_survivor_.end() && merged_[*at].counts_as == i; ++at) {
    if (users.empty() || users.back() != merged_[*at].user) users.push_back(merged_[*at].user);
  }
  return users;
}

}  // namespace priorityd::priority
