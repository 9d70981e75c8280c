#include "engine/priority/snapshot/domain_shares.h"

#include "absl/container/flat_hash_set.h"

namespace priorityd::priority {

DomainShares::DomainShares(std::string domain, int64_t generation, Columns columns)
    : domain_(std::move(domain)), generation_(generation), columns_(std::move(columns)) {
  by_name_.reserve(columns_.accounts.size());
  for (size_t i = 0; i < columns_.accounts.size(); ++i) {
    by_name_.try_emplace({columns_.accounts[i], columns_.users[i]}, columns_.fair_shares[i]);
  }
}

std::optional<double> DomainShares::Find(absl::string_view account, absl::string_view user) const {
  const auto found = by_name_.find({account, user});
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

void DomainShares::Apply(const AssociationTree& tree, std::vector<double>* fair_share) const {
  for (AssociationIndex i = 0; i < tree.size(); ++i) {
    (*fair_share)[i] = Find(tree.account(i), tree.user(i)).value_or(0);
  }
}

namespace {

// Merged users, who may be users of their own in a member. As for others, those in partitions do
// not count.
void AddMerged(const AssociationTree& tree, const std::vector<double>& fair_share,
               DomainShares::Columns* columns) {
  absl::flat_hash_set<std::pair<absl::string_view, absl::string_view>> added;
  for (const AssociationTree::MergedAssociation& merged : tree.merged_associations()) {
    const absl::string_view account = tree.account(merged.counts_as);
    const AssociationIndex survivor = tree.FindUser(account, merged.user, "");
    if (survivor == kNoAssociation || !added.emplace(account, merged.user).second) continue;
    columns->accounts.emplace_back(account);
    columns->users.push_back(merged.user);
    columns->fair_shares.push_back(fair_share[survivor]);
  }
}

}  // namespace

DomainShares::Columns ShareColumnsOf(const AssociationTree& tree,
                                     const std::vector<double>& fair_share) {
  DomainShares::Columns columns;
  for (AssociationIndex i = 0; i < tree.size(); ++i) {
    if (!tree.partition(i).empty()) continue;
    columns.accounts.emplace_back(tree.account(i));
    columns.users.emplace_back(tree.user(i));
    columns.fair_shares.push_back(fair_share[i]);
  }
  AddMerged(tree, fair_share, &columns);
  return columns;
}

}  // namespace priorityd::priority
