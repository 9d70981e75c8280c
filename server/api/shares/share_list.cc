#include "server/api/shares/share_list.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"

namespace priorityd::rpc {
namespace {

// Users before accounts, then by name.
std::vector<priority::AssociationIndex> SortedChildren(const priority::AssociationTree& tree,
                                                       priority::AssociationIndex i) {
  std::vector<priority::AssociationIndex> children;
  for (priority::AssociationIndex child : tree.children(i)) children.push_back(child);
  std::sort(children.begin(), children.end(),
            [&](priority::AssociationIndex a, priority::AssociationIndex b) {
              const auto key = [&](priority::AssociationIndex x) {
                return std::make_tuple(!tree.is_user(x), tree.user(x), tree.partition(x),
                                       tree.account(x));
              };
              return key(a) < key(b);
            });
  return children;
}

// Orders siblings as SortedChildren does; names have no NUL.
std::string NameOf(const priority::AssociationTree& tree, priority::AssociationIndex i) {
  constexpr absl::string_view kNul("\0", 1);
  return absl::StrCat(tree.is_user(i) ? "0" : "1", tree.user(i), kNul, tree.partition(i), kNul,
                      tree.account(i));
}

std::vector<priority::AssociationIndex> OrderOf(const priority::AssociationTree& tree) {
  std::vector<priority::AssociationIndex> order;
  order.reserve(tree.size());
  std::vector<priority::AssociationIndex> next = {0};
  while (!next.empty()) {
    const priority::AssociationIndex i = next.back();
    next.pop_back();
    order.push_back(i);
    const std::vector<priority::AssociationIndex> children = SortedChildren(tree, i);
    next.insert(next.end(), children.rbegin(), children.rend());
  }
  return order;
}

}  // namespace

ShareList::ShareList(std::shared_ptr<const priority::Snapshot> snapshot)
    : snapshot_(std::move(snapshot)),
      order_(OrderOf(snapshot_->tree())),
      ranks_(explanation::RankAllSiblings(*snapshot_)) {}

ShareList::Path ShareList::PathOf(priority::AssociationIndex i) const {
  const priority::AssociationTree& tree = snapshot_->tree();
  Path path;
  for (; i > 0; i = tree.parent()[i]) path.push_back(NameOf(tree, i));
  std::reverse(path.begin(), path.end());
  return path;
}

size_t ShareList::PositionAfter(const Path& path) const {
  const auto after = absl::c_partition_point(
      order_, [&](priority::AssociationIndex i) { return PathOf(i) <= path; });
  return static_cast<size_t>(after - order_.begin());
}

std::shared_ptr<const ShareList> ShareLists::Of(
    const std::shared_ptr<const priority::Snapshot>& snapshot) {
  {
    absl::MutexLock lock(&mutex_);
    // A generation occurs twice if the database lost the first one.
    for (const std::shared_ptr<const ShareList>& list : lists_) {
      if (&list->snapshot() == snapshot.get()) return list;
    }
  }
  auto list = std::make_shared<const ShareList>(snapshot);
  absl::MutexLock lock(&mutex_);
  lists_.push_front(list);
  if (lists_.size() > kKept) lists_.pop_back();
  return list;
}

std::shared_ptr<const ShareList> ShareLists::Find(absl::string_view cluster, int64_t generation) {
  absl::MutexLock lock(&mutex_);
  for (const std::shared_ptr<const ShareList>& list : lists_) {
    const priority::Snapshot& snapshot = list->snapshot();
    if (snapshot.generation() == generation && snapshot.cluster().name == cluster) return list;
  }
  return nullptr;
}

}  // namespace priorityd::rpc
