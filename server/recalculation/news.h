// What replicas have to read again after notifications.
#ifndef PRIORITYD_SERVER_RECALCULATION_NEWS_H_
#define PRIORITYD_SERVER_RECALCULATION_NEWS_H_

#include <optional>
#include <string>

#include "absl/container/btree_set.h"
#include "storage/notification.h"

namespace priorityd::recalculation {

// Names of clusters; nullopt = of all.
using ClusterNames = std::optional<absl::btree_set<std::string>>;

// Gathered from several notifications.
class News {
 public:
  void Add(const storage::Notification& notification);

  // Whose standings are to be read. The leader need not read what it published itself.
  ClusterNames Changed(bool leads) const;
  // Whose tracked queues are.
  ClusterNames Queues(bool leads) const;
  // Which the leader is to recalculate soon.
  const absl::btree_set<std::string>& hastened() const { return hastened_; }
  // Whether somebody asks the leader for a recalculation.
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
