// The association tree in sshare's order.
#ifndef PRIORITYD_SERVER_API_SHARES_SHARE_LIST_H_
#define PRIORITYD_SERVER_API_SHARES_SHARE_LIST_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "engine/explanation/explanation.h"
#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::rpc {

// A snapshot's associations in the order of ListShares. Immutable.
class ShareList {
 public:
  explicit ShareList(std::shared_ptr<const priority::Snapshot> snapshot);

  const priority::Snapshot& snapshot() const { return *snapshot_; }
  // Root, then under each account its users by name and its accounts by name,
  // each with everything below it.
  const std::vector<priority::AssociationIndex>& order() const { return order_; }
  const explanation::SiblingRank& rank(priority::AssociationIndex i) const { return ranks_[i]; }

  // The names from root down to an association: its place in the order of any snapshot, even one
  // without it.
  using Path = std::vector<std::string>;
  Path PathOf(priority::AssociationIndex i) const;
  // The position of the first association after this one.
  size_t PositionAfter(const Path& path) const;

 private:
  std::shared_ptr<const priority::Snapshot> snapshot_;
  std::vector<priority::AssociationIndex> order_;
  std::vector<explanation::SiblingRank> ranks_;
};

// Keeps the last lists, so that a page token usually finds its snapshot after a recalculation.
// Thread-safe.
class ShareLists {
 public:
  // The list of a snapshot, built on first use.
  std::shared_ptr<const ShareList> Of(const std::shared_ptr<const priority::Snapshot>& snapshot);
  // One of the last lists used; null if it is no longer kept.
  std::shared_ptr<const ShareList> Find(absl::string_view cluster, int64_t generation);

 private:
  static constexpr size_t kKept = 4;

  absl::Mutex mutex_;
  std::deque<std::shared_ptr<const ShareList>> lists_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_SHARES_SHARE_LIST_H_
