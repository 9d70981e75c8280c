#include "server/grants/owner_index.h"

#include <utility>

#include "absl/algorithm/container.h"

namespace priorityd::grants {

using priority::AssociationIndex;

OwnerIndex::OwnerIndex(const GrantBook& book, const priority::AssociationTree& tree,
                       FindPath find_path)
    : book_(book), tree_(tree), find_path_(std::move(find_path)) {}

absl::StatusOr<absl::Span<const int>> OwnerIndex::Of(int64_t association_id) {
  auto found = known_.find(association_id);
  if (found == known_.end()) {
    auto owners = Find(association_id);
    if (!owners.ok()) return owners.status();
    found = known_.emplace(association_id, *std::move(owners)).first;
  }
  return absl::MakeConstSpan(found->second);
}

absl::StatusOr<std::vector<int>> OwnerIndex::Find(int64_t association_id) const {
  std::vector<Step> steps;
  AssociationIndex at = tree_.FindId(association_id);
  if (at == priority::kNoAssociation) {
    const auto path = find_path_(association_id);
    if (!path.ok()) return path.status();
    for (const storage::PathStep& step : *path) steps.push_back({step.account, step.user_name});
    return OwnersOn(steps);
  }
  for (; at != priority::kNoAssociation; at = tree_.parent()[at]) {
    steps.push_back({tree_.account(at), tree_.user(at)});
  }
  return OwnersOn(steps);
}

std::vector<int> OwnerIndex::OwnersOn(absl::Span<const Step> path) const {
  std::vector<int> owners;
  for (size_t i = 0; i < path.size(); ++i) {
    // A user's account is the next step.
    if (!path[i].user.empty()) continue;
    const auto of = book_.stacks_of_account.find(path[i].account);
    if (of == book_.stacks_of_account.end()) continue;
    const bool is_own = i == 1 && !path[0].user.empty();
    for (const int owner : of->second) {
      const std::string& user = book_.stacks[owner].owner.user;
      const bool counts = user.empty() || (is_own && user == path[0].user);
      if (counts && !absl::c_linear_search(owners, owner)) owners.push_back(owner);
    }
  }
  return owners;
}

}  // namespace priorityd::grants
