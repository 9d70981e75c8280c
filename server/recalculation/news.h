// The data that a replica must read again after notifications.
#ifndef PRIORITYD_SERVER_RECALCULATION_NEWS_H_
#define PRIORITYD_SERVER_RECALCULATION_NEWS_H_

#include <optional>
#include <string>

#include "absl/container/btree_set.h"
#include "storage/database/notification.h"

namespace priorityd::recalculation {

// Names of clusters; nullopt = all clusters.
using ClusterNames = std::optional<absl::btree_set<std::string>>;

// The union of several notifications.
class News {
 public:
  void Add(const storage::Notification& notification);

  // Clusters whose standings must be read. The leader need not read its own publications.
  ClusterNames Changed(bool leads) const;
  // Clusters whose tracked queues must be read.
  ClusterNames Queues(bool leads) const;
  // Clusters of which the leader published a snapshot.
  const absl::btree_set<std::string>& published() const { return published_; }
  // Clusters that the leader recalculates soon.
  const absl::btree_set<std::string>& hastened() const { return hastened_; }
  // Whether a replica has requested a recalculation.
  bool requests() const { return everything_ || requests_; }

 private:
  bool everything_ = false;
  bool requests_ = false;
  absl::btree_set<std::string> changed_;
  absl::btree_set<std::string> published_;
  absl::btree_set<std::string> queues_;
  absl::btree_set<std::string> hastened_;
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_NEWS_H_
