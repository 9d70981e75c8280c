#include "engine/priority/fair_share/fair_tree_as_slurm.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace priorityd::priority {
namespace {

constexpr long double kLongInfinity = std::numeric_limits<long double>::infinity();
// The LevelFS of a `parent` account in slurmctld: below infinity, above every ordinary value.
constexpr long double kParentAccountLevelFs = 4294967294.0L;

std::vector<long double> RolledUp(const AssociationTree& tree, absl::Span<const double> own_usage) {
  std::vector<long double> usage(own_usage.begin(), own_usage.end());
  for (AssociationIndex i = tree.size() - 1; i > 0; --i) usage[tree.parent()[i]] += usage[i];
  return usage;
}

long double LevelFs(const AssociationTree& tree, AssociationIndex i, long double effective_usage) {
  if (tree.parent_shares(i)) return tree.is_user(i) ? kLongInfinity : kParentAccountLevelFs;
  const double shares = tree.level_norm_shares()[i];
  if (shares == 0) return 0;
  return effective_usage == 0 ? kLongInfinity : shares / effective_usage;
}

// The siblings of every level, including `parent` accounts, best first.
class Siblings {
 public:
  Siblings(const AssociationTree& tree, const std::vector<long double>& level_fs)
      : begin_(tree.size() + 1, 0), all_(tree.size() - 1) {
    for (AssociationIndex i = 1; i < tree.size(); ++i) ++begin_[tree.fair_share_parent()[i] + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    std::vector<int32_t> next = begin_;
    for (AssociationIndex i = 1; i < tree.size(); ++i) {
      all_[next[tree.fair_share_parent()[i]]++] = i;
    }
    const auto better = [&](AssociationIndex a, AssociationIndex b) {
      if (level_fs[a] != level_fs[b]) return level_fs[a] > level_fs[b];
      if (tree.is_user(a) != tree.is_user(b)) return tree.is_user(a);
      return tree.id()[a] < tree.id()[b];
    };
    for (AssociationIndex i = 0; i < tree.size(); ++i) {
      std::sort(all_.begin() + begin_[i], all_.begin() + begin_[i + 1], better);
    }
  }

  absl::Span<const AssociationIndex> Below(AssociationIndex i) const {
    return absl::MakeConstSpan(all_).subspan(begin_[i], begin_[i + 1] - begin_[i]);
  }

 private:
  std::vector<int32_t> begin_;
  std::vector<AssociationIndex> all_;
};

// An open level of the walk.
struct Level {
  absl::Span<const AssociationIndex> siblings;
  size_t next;
  bool tied;  // Whether its first entry takes the rank given last.
};

void GiveRanks(const AssociationTree& tree, const std::vector<long double>& level_fs,
               std::vector<double>* fair_share) {
  const Siblings siblings(tree, level_fs);
  const double users = tree.user_count();
  int32_t left = tree.user_count();
  int32_t rank = left;
  std::vector<Level> levels = {{siblings.Below(0), 0, false}};
  while (!levels.empty()) {
    Level& level = levels.back();
    if (level.next == level.siblings.size()) {
      levels.pop_back();
      continue;
    }
    const size_t at = level.next++;
    const AssociationIndex i = level.siblings[at];
    const bool tied = at == 0 ? level.tied : level_fs[level.siblings[at - 1]] == level_fs[i];
    if (tree.is_user(i)) {
      if (!tied) rank = left;
      (*fair_share)[i] = rank / users;
      --left;
    } else {
      levels.push_back({siblings.Below(i), 0, tied});
    }
  }
}

}  // namespace

void FairTreeAsSlurm(const AssociationTree& tree, absl::Span<const double> own_usage,
                     FairShare* result) {
  const int n = tree.size();
  const std::vector<long double> usage = RolledUp(tree, own_usage);
  std::vector<long double> level_fs(n, 0);
  result->effective_usage.assign(n, 1);
  result->level_fs.assign(n, 0);
  for (AssociationIndex i = 1; i < n; ++i) {
    const long double whole = usage[tree.fair_share_parent()[i]];
    const long double effective = whole == 0 ? 0 : usage[i] / whole;
    level_fs[i] = LevelFs(tree, i, effective);
    result->effective_usage[i] = static_cast<double>(effective);
    const bool parent_account = tree.parent_shares(i) && !tree.is_user(i);
    if (!parent_account) result->level_fs[i] = static_cast<double>(level_fs[i]);
  }
  result->fair_share.assign(n, 0);
  GiveRanks(tree, level_fs, &result->fair_share);
}

}  // namespace priorityd::priority
