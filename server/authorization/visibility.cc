#include "server/authorization/visibility.h"

#include <algorithm>
#include <utility>

namespace priorityd::authorization {

Visibility::Visibility(const PrivateData& hidden, Viewer viewer) : hidden_(hidden) {
  if (hidden_.any()) viewer_ = std::move(viewer);
}

bool Visibility::SeesJob(absl::string_view user, absl::string_view account) const {
  return !hidden_.jobs || IsHers(user) || viewer_.coordinated.contains(account);
}

bool Visibility::SeesShares(absl::string_view user, absl::string_view account) const {
  if (sees_all_shares() || IsHers(user) || viewer_.coordinated.contains(account)) return true;
  if (!user.empty() && (hidden_.usage || hidden_.users)) return false;
  return viewer_.on_her_ways.contains(account);
}

std::vector<std::string> Visibility::AccountsOfAllRecords() const {
  AccountSet all = viewer_.coordinated;
  if (!hidden_.usage && !hidden_.users) {
    all.insert(viewer_.on_her_ways.begin(), viewer_.on_her_ways.end());
  }
  std::vector<std::string> accounts(all.begin(), all.end());
  std::sort(accounts.begin(), accounts.end());
  return accounts;
}

bool operator==(const Visibility& a, const Visibility& b) {
  return a.hidden_ == b.hidden_ && a.viewer_.user == b.viewer_.user &&
         a.viewer_.on_her_ways == b.viewer_.on_her_ways &&
         a.viewer_.coordinated == b.viewer_.coordinated;
}

}  // namespace priorityd::authorization
