#include "client/prioctl/sacctmgr/association_order.h"

#include <algorithm>
#include <map>
#include <string>

namespace priorityd::sacctmgr {
namespace {

using ::priority::v1::Association;

bool IsAccount(const Association& association) { return association.user().empty(); }

// The account that it stands below; empty = none.
const std::string& Above(const Association& association) {
  return IsAccount(association) ? association.parent_account() : association.account();
}

bool ComesBefore(const Association* a, const Association* b) {
  // Of a user's partitions the last name comes first.
  return std::forward_as_tuple(IsAccount(*a), a->user(), a->account(), b->partition()) <
         std::forward_as_tuple(IsAccount(*b), b->user(), b->account(), a->partition());
}

using Children = std::map<std::string, std::vector<const Association*>>;

// Depth first, without recursion: a tree may be as deep as it has accounts.
std::vector<Placed> Walk(const Children& children, std::vector<Placed> open) {
  std::vector<Placed> placed;
  std::reverse(open.begin(), open.end());
  while (!open.empty()) {
    const Placed next = open.back();
    open.pop_back();
    placed.push_back(next);
    if (!IsAccount(*next.association)) continue;
    const auto below = children.find(next.association->account());
    if (below == children.end()) continue;
    for (auto child = below->second.rbegin(); child != below->second.rend(); ++child) {
      open.push_back({*child, next.depth + 1, next.association->id()});
    }
  }
  return placed;
}

}  // namespace

std::vector<Placed> InTreeOrder(
    const google::protobuf::RepeatedPtrField<Association>& associations) {
  std::map<std::string, const Association*> accounts;
  for (const Association& association : associations) {
    if (IsAccount(association)) accounts[association.account()] = &association;
  }
  Children children;
  std::vector<const Association*> roots;
  for (const Association& association : associations) {
    const bool has_parent = accounts.count(Above(association)) > 0;
    (has_parent ? children[Above(association)] : roots).push_back(&association);
  }
  std::sort(roots.begin(), roots.end(), ComesBefore);
  for (auto& [above, below] : children) std::sort(below.begin(), below.end(), ComesBefore);
  std::vector<Placed> open;
  for (const Association* root : roots) open.push_back({root, 0, 0});
  return Walk(children, std::move(open));
}

}  // namespace priorityd::sacctmgr
