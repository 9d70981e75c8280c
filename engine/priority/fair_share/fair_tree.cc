#include "engine/priority/fair_share/fair_tree.h"

#include <limits>
#include <vector>

#include "engine/priority/fair_share/level_sort.h"

namespace priorityd::priority {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// LevelFS that differ by at most this, relatively, are tied.
constexpr double kTieTolerance = 1e-9;

// REQUIRES: a >= b.
bool Tied(double a, double b) { return a == b || (a < kInfinity && a - b <= kTieTolerance * a); }

// LevelFS is S / U = S * usage(parent) / usage.
double LevelFs(double norm_shares, double effective_usage) {
  if (norm_shares == 0) return 0;
  return effective_usage == 0 ? kInfinity : norm_shares / effective_usage;
}

void ComputeLevels(const AssociationTree& tree, FairShare* result) {
  const int n = tree.size();
  const double* const usage = result->usage.data();
  const AssociationIndex* const fair_share_parent = tree.fair_share_parent().data();
  const double* const norm_shares = tree.level_norm_shares().data();
  result->effective_usage.assign(n, 1);
  result->level_fs.assign(n, 0);
  for (AssociationIndex i = 1; i < n; ++i) {
    const double whole = usage[fair_share_parent[i]];
    const double effective = whole == 0 ? 0 : usage[i] / whole;
    result->effective_usage[i] = effective;
    if (!tree.parent_shares(i)) {
      result->level_fs[i] = LevelFs(norm_shares[i], effective);
    } else if (tree.is_user(i)) {
      result->level_fs[i] = kInfinity;
    }
  }
}

// Walks the tree from the highest LevelFS to the lowest and assigns ranks. `items_` is the stack
// of open levels, so any depth is supported.
class Walk {
 public:
  Walk(const AssociationTree& tree, const std::vector<double>& level_fs,
       std::vector<double>* fair_share)
      : tree_(tree),
        level_fs_(level_fs),
        fair_share_(*fair_share),
        users_(tree.user_count()),
        left_(tree.user_count()) {}

  void Run() {
    AddFairShareChildren(0);
    Open(0, kNoRank);
    while (!levels_.empty()) Step();
  }

 private:
  static constexpr int32_t kNoRank = 0;  // Ranks begin at 1.

  // The items from `next` to the end of the level have not been walked yet.
  struct Level {
    size_t begin;
    size_t next;
    size_t end;
    int32_t carried;  // The rank that the first run takes; kNoRank = the next free one.
  };

  void AddFairShareChildren(AssociationIndex i) {
    for (const AssociationIndex child : tree_.fair_share_children(i)) {
      if (tree_.users_below(child) > 0) items_.push_back(LevelItem::Of(child, level_fs_[child]));
    }
  }

  // Opens a level of the items from `begin` on.
  void Open(size_t begin, int32_t carried) {
    if (begin == items_.size()) return;
    SortLevel(absl::MakeSpan(items_).subspan(begin), &scratch_);
    levels_.push_back({begin, begin, items_.size(), carried});
  }

  // Walks the next run of ties of the innermost level.
  void Step() {
    Level& level = levels_.back();
    if (level.next == level.end) {
      items_.resize(level.begin);
      levels_.pop_back();
      return;
    }
    const size_t begin = level.next;
    const size_t end = EndOfRun(begin, level.end);
    const int32_t tie = begin == level.begin ? level.carried : kNoRank;
    level.next = end;
    const int32_t rank = tie != kNoRank ? tie : left_;
    const bool has_users = RankUsers(begin, end, rank);
    const size_t below = items_.size();
    for (size_t i = begin; i < end; ++i) {
      const AssociationIndex account = items_[i].association;
      if (!tree_.is_user(account)) AddFairShareChildren(account);
    }
    Open(below, has_users ? rank : tie);
  }

  size_t EndOfRun(size_t begin, size_t level_end) const {
    size_t end = begin + 1;
    while (end < level_end && Tied(items_[end - 1].level_fs(), items_[end].level_fs())) ++end;
    return end;
  }

  // Gives `rank` to the users of the run; returns whether it has any.
  bool RankUsers(size_t begin, size_t end, int32_t rank) {
    const int32_t left_before = left_;
    const double fair_share = static_cast<double>(rank) / users_;
    for (size_t i = begin; i < end; ++i) {
      const AssociationIndex user = items_[i].association;
      if (!tree_.is_user(user)) continue;
      fair_share_[user] = fair_share;
      --left_;
    }
    return left_ != left_before;
  }

  const AssociationTree& tree_;
  const std::vector<double>& level_fs_;
  std::vector<double>& fair_share_;
  const double users_;
  int32_t left_;  // The number of users without a rank, which is the next rank.
  std::vector<LevelItem> items_;
  std::vector<LevelItem> scratch_;
  std::vector<Level> levels_;
};

}  // namespace

void FairTree(const AssociationTree& tree, FairShare* result) {
  ComputeLevels(tree, result);
  result->fair_share.assign(tree.size(), 0);
  Walk(tree, result->level_fs, &result->fair_share).Run();
}

}  // namespace priorityd::priority
