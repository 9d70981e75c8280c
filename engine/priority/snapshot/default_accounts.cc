#include "engine/priority/snapshot/default_accounts.h"

#include <optional>

#include "absl/hash/hash.h"

namespace priorityd::priority {

// Interns users first, so that their NameIds are the lowest.
DefaultAccounts::DefaultAccounts(absl::Span<const UserAndAccount> given) {
  for (const auto& [user, account] : given) names_.Intern(user);
  account_.resize(names_.size());
  for (const auto& [user, account] : given) account_[*names_.Find(user)] = names_.Intern(account);
  names_.ShrinkToFit();
}

absl::string_view DefaultAccounts::Find(absl::string_view user) const {
  const std::optional<NameId> name = names_.Find(user);
  return name.has_value() && *name < account_.size() ? names_[account_[*name]] : "";
}

DefaultAccounts DefaultAccounts::With(absl::Span<const UserAndAccount> given) const {
  std::vector<UserAndAccount> all;
  for (NameId user = 0; user < account_.size(); ++user) {
    if (account_[user] != 0) all.emplace_back(names_[user], names_[account_[user]]);
  }
  all.insert(all.end(), given.begin(), given.end());
  return DefaultAccounts(all);
}

size_t DefaultAccounts::Hash() const { return absl::HashOf(names_.Hash(), account_); }

}  // namespace priorityd::priority
