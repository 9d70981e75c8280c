#include "server/api/shared/share_filter.h"

namespace priorityd::rpc {
namespace {

void Hide(const priority::AssociationTree& tree, const authorization::Visibility& sees,
          std::vector<bool>* selected) {
  if (sees.sees_all_shares()) return;
  for (priority::AssociationIndex i = 0; i < tree.size(); ++i) {
    (*selected)[i] = (*selected)[i] && sees.SeesShares(tree.user(i), tree.account(i));
  }
}

}  // namespace

std::vector<bool> Select(const priority::AssociationTree& tree, const ShareFilter& filter,
                         const authorization::Visibility& sees) {
  std::vector<bool> in_accounts(tree.size());
  for (priority::AssociationIndex i = 0; i < tree.size(); ++i) {
    in_accounts[i] = filter.accounts.empty() ||
                     filter.accounts.contains(std::string(tree.account(i))) ||
                     (filter.subtree && i > 0 && in_accounts[tree.parent()[i]]);
  }
  // Applied before the users: otherwise an account would reveal which hidden users are below it.
  Hide(tree, sees, &in_accounts);
  if (filter.users.empty() && !filter.accounts_only) return in_accounts;
  // Whether one of the users is at or below the association.
  std::vector<bool> has_user(tree.size(), filter.users.empty());
  for (priority::AssociationIndex i = tree.size() - 1; i >= 0 && !filter.users.empty(); --i) {
    const bool wanted =
        tree.is_user(i) && in_accounts[i] && filter.users.contains(std::string(tree.user(i)));
    if (wanted) has_user[i] = true;
    if (i > 0 && has_user[i]) has_user[tree.parent()[i]] = true;
  }
  for (priority::AssociationIndex i = 0; i < tree.size(); ++i) {
    const bool kind_wanted = !(filter.accounts_only && tree.is_user(i));
    in_accounts[i] = in_accounts[i] && has_user[i] && kind_wanted;
  }
  return in_accounts;
}

}  // namespace priorityd::rpc
