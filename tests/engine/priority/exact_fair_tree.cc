#include "tests/engine/priority/exact_fair_tree.h"

#include <algorithm>
#include <optional>

namespace priorityd::priority {
namespace {

// A LevelFS: a number or infinity.
struct LevelFs {
  bool infinite = false;
  Rational value;
};

bool Higher(const LevelFs& a, const LevelFs& b) {
  if (a.infinite || b.infinite) return a.infinite && !b.infinite;
  return a.value > b.value;
}

// Agreeing to 1e-9 relative. `a` is not lower.
bool Equal(const LevelFs& a, const LevelFs& b) {
  if (a.infinite || b.infinite) return a.infinite && b.infinite;
  return (a.value - b.value) * 1000000000 <= a.value;
}

struct Node {
  const Association* association = nullptr;
  Node* parent = nullptr;
  std::vector<Node*> children;  // Direct.
  Rational usage;               // With everything below.
  LevelFs level_fs;

  bool user() const { return !association->user.empty(); }
  bool parent_shares() const { return !association->raw_shares.has_value(); }
  bool has_users() const {
    return user() || std::any_of(children.begin(), children.end(),
                                 [](const Node* child) { return child->has_users(); });
  }
  Node* fair_share_parent() const {
    Node* up = parent;
    while (up->parent != nullptr && up->parent_shares()) up = up->parent;
    return up;
  }
};

class ExactTree {
 public:
  ExactTree(const std::vector<Association>& associations,
            const std::map<int64_t, Rational>& own_usage) {
    for (const Association& a : associations) nodes_[a.id].association = &a;
    for (auto& [id, node] : nodes_) {
      if (node.association->parent_id == 0) {
        root_ = &node;
        continue;
      }
      node.parent = &nodes_.at(node.association->parent_id);
      node.parent->children.push_back(&node);
    }
    for (auto& [id, node] : nodes_) {
      for (Node* up = &node; up != nullptr; up = up->parent) up->usage += own_usage.at(id);
    }
    for (auto& [id, node] : nodes_) {
      if (&node != root_) node.level_fs = LevelFsOf(node);
      if (node.user()) ++users_;
    }
    left_ = users_;
  }

  std::map<int64_t, Rational> FairShares() {
    Level(FairShareChildren(*root_), std::nullopt);
    return fair_share_;
  }

 private:
  LevelFs LevelFsOf(const Node& node) {
    if (node.parent_shares()) return {true, 0};
    const Node* const parent = node.fair_share_parent();
    Rational level_shares = 0;
    for (const auto& [id, other] : nodes_) {
      if (&other != root_ && other.fair_share_parent() == parent) {
        level_shares += other.association->raw_shares.value_or(0);
      }
    }
    const Rational shares = *node.association->raw_shares;
    if (shares == 0) return {false, 0};
    if (node.usage == 0) return {true, 0};
    return {false, (shares / level_shares) / (node.usage / parent->usage)};
  }

  // `parent` accounts are replaced by their children.
  static std::vector<Node*> FairShareChildren(const Node& node) {
    std::vector<Node*> found;
    for (Node* child : node.children) {
      if (child->parent_shares() && !child->user()) {
        for (Node* grandchild : FairShareChildren(*child)) found.push_back(grandchild);
      } else {
        found.push_back(child);
      }
    }
    return found;
  }

  void Level(std::vector<Node*> items, std::optional<int> carry) {
    std::erase_if(items, [](const Node* item) { return !item->has_users(); });
    std::sort(items.begin(), items.end(),
              [](const Node* a, const Node* b) { return Higher(a->level_fs, b->level_fs); });
    bool first_run = true;
    while (!items.empty()) {
      auto end = items.begin() + 1;
      while (end != items.end() && Equal((*(end - 1))->level_fs, (*end)->level_fs)) ++end;
      WalkRun(std::vector<Node*>(items.begin(), end), first_run ? carry : std::nullopt);
      items.erase(items.begin(), end);
      first_run = false;
    }
  }

  void WalkRun(const std::vector<Node*>& run, std::optional<int> tie) {
    const int rank = tie.value_or(left_);
    bool has_users = false;
    std::vector<Node*> below;
    for (const Node* item : run) {
      if (item->user()) {
        has_users = true;
        fair_share_[item->association->id] = Rational(rank, users_);
        --left_;
      } else {
        for (Node* child : FairShareChildren(*item)) below.push_back(child);
      }
    }
    Level(below, has_users || tie ? std::optional<int>(rank) : std::nullopt);
  }

  std::map<int64_t, Node> nodes_;
  Node* root_ = nullptr;
  int users_ = 0;
  int left_ = 0;
  std::map<int64_t, Rational> fair_share_;
};

}  // namespace

Rational RationalOf(const std::string& decimal) {
  const size_t point = decimal.find('.');
  if (point == std::string::npos) return Rational(decimal);
  std::string digits = decimal;
  digits.erase(point, 1);
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  const std::string power = "1" + std::string(decimal.size() - point - 1, '0');
  return Rational(boost::multiprecision::cpp_int(digits), boost::multiprecision::cpp_int(power));
}

std::map<int64_t, Rational> ExactFairTree(const std::vector<Association>& associations,
                                          const std::map<int64_t, Rational>& own_usage) {
  return ExactTree(associations, own_usage).FairShares();
}

}  // namespace priorityd::priority
