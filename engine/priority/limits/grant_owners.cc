#include "engine/priority/limits/grant_owners.h"

#include <algorithm>
#include <limits>
#include <string>

#include "absl/algorithm/container.h"
#include "engine/priority/limits/limits.h"
#include "engine/priority/site/tres_sum.h"

namespace priorityd::priority {

bool IsUsedUp(const GrantStanding& grant) {
  return grant.used >= grant.available * (1 - Limits::kTolerance);
}

bool ComparesUsageAlone(const GrantStanding& grant, bool priced) {
  return !grant.domain.empty() || (IsPrice(grant.tres) && !priced);
}

bool HoldsJobs(const GrantStanding& grant, const GrantEnforcement& enforced) {
  if (grant.consequence == GrantConsequence::kCap) return IsUsedUp(grant);
  const bool counts_demand = enforced.safe && !ComparesUsageAlone(grant, enforced.priced);
  return grant.consequence == GrantConsequence::kBlock && (counts_demand || IsUsedUp(grant));
}

void SetGrantLimits(const GrantStandings& grants, const GrantEnforcement& enforced,
                    absl::Span<Limit> limits) {
  for (Limit& limit : limits) {
    if (!limit.of_grant()) continue;
    const GrantStanding& grant = grants[limit.grant];
    const bool caps = grant.consequence == GrantConsequence::kCap;
    limit.limit = caps ? grant.measure.most : grant.available;
    if (!HoldsJobs(grant, enforced)) limit.limit = std::numeric_limits<double>::infinity();
    if (!caps) limit.used = grant.used;
  }
}

std::vector<AssociationIndex> GrantOwners::Of(const GrantStanding& grant) {
  if (grant.user.empty()) return AccountsOf(grant);
  std::vector<AssociationIndex> owners;
  for (const std::string& name : grant.accounts) {
    const AssociationIndex account = tree_.FindAccount(name);
    if (account == kNoAssociation) continue;
    const std::vector<UserOfAccount>& users = UsersOf(account);
    auto user = absl::c_lower_bound(
        users, grant.user, [](const auto& one, const auto& than) { return one.user < than; });
    for (; user != users.end() && user->user == grant.user; ++user) {
      owners.push_back(user->association);
    }
  }
  absl::c_sort(owners);
  owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
  return owners;
}

std::vector<bool> GrantOwners::HeldByAny(absl::Span<const GrantStanding* const> grants) {
  std::vector<bool> held(tree_.size());
  for (const GrantStanding* grant : grants) {
    for (const AssociationIndex i : Of(*grant)) held[i] = true;
  }
  // A parent precedes its children.
  for (AssociationIndex i = 1; i < tree_.size(); ++i) held[i] = held[i] || held[tree_.parent()[i]];
  return held;
}

const std::vector<GrantOwners::UserOfAccount>& GrantOwners::UsersOf(AssociationIndex account) {
  const auto [entry, is_new] = users_.try_emplace(account);
  std::vector<UserOfAccount>& users = entry->second;
  if (!is_new) return users;
  for (const AssociationIndex i : tree_.children(account)) {
    if (tree_.is_user(i)) users.push_back({tree_.user(i), i});
  }
  absl::c_stable_sort(users, [](const auto& a, const auto& b) { return a.user < b.user; });
  return users;
}

std::vector<AssociationIndex> GrantOwners::AccountsOf(const GrantStanding& grant) const {
  std::vector<AssociationIndex> owners;
  for (const std::string& account : grant.accounts) {
    const AssociationIndex owner = tree_.FindAccount(account);
    if (owner != kNoAssociation) owners.push_back(owner);
  }
  // A parent precedes everything below it.
  absl::c_sort(owners);
  std::vector<AssociationIndex> topmost;  // Ascending.
  for (const AssociationIndex owner : owners) {
    AssociationIndex at = owner;
    while (at != kNoAssociation && !absl::c_binary_search(topmost, at)) at = tree_.parent()[at];
    if (at == kNoAssociation) topmost.push_back(owner);
  }
  return topmost;
}

}  // namespace priorityd::priority
