#include "server/grants/owner_index.h"

#include <utility>

#include "absl/algorithm/container.h"

namespace priorityd::grants {

using priority::AssociationIndex;

OwnerIndex::OwnerIndex(absl::Span<const Owner* const> owners, const priority::AssociationTree& tree,
                       FindPath find_path)
    : owners_(owners), tree_(tree), find_path_(std::move(find_path)) {
  for (size_t i = 0; i < owners_.size(); ++i) {
    for (const std::string& account : owners_[i]->accounts) {
      of_account_[account].push_back(static_cast<int>(i));
    }
  }
}

absl::StatusOr<absl::Span<const int>> OwnerIndex::Of(int64_t association_id) {
  auto found = known_.find(association_id);
  if (found == known_.end()) {
    auto path = PathOf(association_id);
    if (!path.ok()) return path.status();
    found = known_.emplace(association_id, OwnersOn(*path)).first;
  }
  return absl::MakeConstSpan(found->second);
}

absl::StatusOr<OwnerIndex::Path> OwnerIndex::PathOf(int64_t association_id) const {
  AssociationIndex at = tree_.FindId(association_id);
  if (at == priority::kNoAssociation) return find_path_(association_id);
  Path path;
  for (; at != priority::kNoAssociation; at = tree_.parent()[at]) {
    path.push_back({tree_.id()[at], std::string(tree_.account(at)), std::string(tree_.user(at))});
  }
  return path;
}

std::vector<int> OwnerIndex::OwnersOn(const Path& path) const {
  std::vector<int> owners;
  for (size_t i = 0; i < path.size(); ++i) {
    // A user's account is the next step.
    if (!path[i].user_name.empty()) continue;
    const auto of = of_account_.find(path[i].account);
    if (of == of_account_.end()) continue;
    const bool is_own = i == 1 && !path[0].user_name.empty();
    for (const int owner : of->second) {
      const std::string& user = owners_[owner]->user;
      const bool counts = user.empty() || (is_own && user == path[0].user_name);
      if (counts && !absl::c_linear_search(owners, owner)) owners.push_back(owner);
    }
  }
  return owners;
}

}  // namespace priorityd::grants
