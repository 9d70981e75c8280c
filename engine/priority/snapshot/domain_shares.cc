#include "engine/priority/snapshot/domain_shares.h"

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

DomainShares::Columns ShareColumnsOf(const AssociationTree& tree,
                                     const std::vector<double>& fair_share) {
  DomainShares::Columns columns;
  for (AssociationIndex i = 0; i < tree.size(); ++i) {
    if (!tree.partition(i).empty()) continue;
    columns.accounts.emplace_back(tree.account(i));
    columns.users.emplace_back(tree.user(i));
    columns.fair_shares.push_back(fair_share[i]);
  }
  return columns;
}

}  // namespace priorityd::priority
