// Contents and age of the newest snapshots.
#ifndef PRIORITYD_SERVER_METRICS_SNAPSHOT_METRICS_H_
#define PRIORITYD_SERVER_METRICS_SNAPSHOT_METRICS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_map.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/metrics/cluster_labels.h"
#include "server/metrics/families.h"

namespace priorityd::metrics {

// By cluster; null = no snapshot yet.
using Snapshots = absl::btree_map<std::string, std::shared_ptr<const priority::Snapshot>>;

// Thread-safe.
class SnapshotMetrics {
 public:
  // `labels` must outlive it.
  explicit SnapshotMetrics(ClusterLabels* labels) : labels_(labels) {}

  // `now`: by the site's clock.
  void AddTo(const Snapshots& snapshots, absl::Time now, Families* families)
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void AddSizes(const Snapshots& snapshots, Families* families) ABSL_LOCKS_EXCLUDED(mutex_);
  // The number of distinct user names, computed once per snapshot.
  size_t UsersOf(const priority::Snapshot& snapshot) ABSL_LOCKS_EXCLUDED(mutex_);

  struct Users {
    int64_t generation = -1;
    size_t count = 0;
  };

  ClusterLabels* const labels_;
  absl::Mutex mutex_;
  std::map<std::string, Users> users_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::metrics

#endif  // PRIORITYD_SERVER_METRICS_SNAPSHOT_METRICS_H_
