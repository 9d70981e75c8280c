#include "engine/priority/snapshot/domain_shares.h"

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"

namespace priorityd::priority {
namespace {

// A place of a domain: its names, and the association that has its fair-share.
using VisitPlace = absl::FunctionRef<void(absl::string_view account, absl::string_view user,
                                          AssociationIndex association)>;

// Merged users, who may be users of their own in a member. As for others, those in partitions do
// not count.
void ForEachMerged(const AssociationTree& tree, VisitPlace visit) {
  absl::flat_hash_set<std::pair<absl::string_view, absl::string_view>> visited;
  for (const AssociationTree::MergedAssociation& merged : tree.merged_associations()) {
    const absl::string_view account = tree.account(merged.counts_as);
    const AssociationIndex survivor = tree.FindUser(account, merged.user, "");
    if (survivor == kNoAssociation || !visited.emplace(account, merged.user).second) continue;
    visit(account, merged.user, survivor);
  }
}

void ForEachPlace(const AssociationTree& tree, VisitPlace visit) {
  for (AssociationIndex i = 0; i < tree.size(); ++i) {
    if (tree.partition(i).empty()) visit(tree.account(i), tree.user(i), i);
  }
  ForEachMerged(tree, visit);
}

}  // namespace

DomainNames::DomainNames(std::vector<std::string> accounts, std::vector<std::string> users)
    : accounts_(std::move(accounts)), users_(std::move(users)) {
  places_.reserve(size());
  for (size_t i = 0; i < size(); ++i) places_.try_emplace({accounts_[i], users_[i]}, i);
}

std::optional<size_t> DomainNames::Find(absl::string_view account, absl::string_view user,
                                        size_t likely) const {
  if (likely < size() && users_[likely] == user && accounts_[likely] == account) return likely;
  const auto found = places_.find({account, user});
  if (found == places_.end()) return std::nullopt;
  return found->second;
}

DomainShares::DomainShares(std::string domain, int64_t generation,
                           std::shared_ptr<const DomainNames> names,
                           std::vector<double> fair_shares)
    : domain_(std::move(domain)),
      generation_(generation),
      names_(std::move(names)),
      fair_shares_(std::move(fair_shares)) {}

std::optional<double> DomainShares::Find(absl::string_view account, absl::string_view user) const {
  const std::optional<size_t> place = names_->Find(account, user);
  if (!place.has_value()) return std::nullopt;
  return fair_shares_[*place];
}

void DomainShares::Apply(const AssociationTree& tree, std::vector<double>* fair_share) const {
  // Trees of members have the order of the domain's, mostly.
  size_t next = 0;
  for (AssociationIndex i = 0; i < tree.size(); ++i) {
    const std::optional<size_t> place = names_->Find(tree.account(i), tree.user(i), next);
    (*fair_share)[i] = place.has_value() ? fair_shares_[*place] : 0;
    if (place.has_value()) next = *place + 1;
  }
}

std::shared_ptr<const DomainNames> DomainNamesOf(const AssociationTree& tree) {
  std::vector<std::string> accounts, users;
  accounts.reserve(tree.size());
  users.reserve(tree.size());
  ForEachPlace(tree, [&](absl::string_view account, absl::string_view user, AssociationIndex) {
    accounts.emplace_back(account);
    users.emplace_back(user);
  });
  return std::make_shared<const DomainNames>(std::move(accounts), std::move(users));
}

std::vector<double> DomainSharesOf(const AssociationTree& tree,
                                   const std::vector<double>& fair_share) {
  std::vector<double> shares;
  shares.reserve(tree.size());
  ForEachPlace(tree, [&](absl::string_view, absl::string_view, AssociationIndex association) {
    shares.push_back(fair_share[association]);
  });
  return shares;
}

}  // namespace priorityd::priority
