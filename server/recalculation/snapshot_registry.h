// The newest snapshot of every cluster.
#ifndef PRIORITYD_SERVER_RECALCULATION_SNAPSHOT_REGISTRY_H_
#define PRIORITYD_SERVER_RECALCULATION_SNAPSHOT_REGISTRY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/recalculation/news.h"
#include "server/threads/clock.h"

namespace priorityd::recalculation {

// Thread-safe. Readers take one pointer under a shared lock that writers hold
// only to swap it.
class SnapshotRegistry {
 public:
  // `clock`: measures staleness and patience; a real clock.
  explicit SnapshotRegistry(threads::Clock clock) : clock_(std::move(clock)) {}

  // Adds a cluster without a snapshot.
  void Add(const std::string& cluster);

  // Replaces the snapshot of snapshot->cluster().name, unless the present one has a later
  // generation.
  void Publish(std::shared_ptr<const priority::Snapshot> snapshot);

  // Replaces it regardless of generations, which belong to a database that no longer exists.
  void Replace(std::shared_ptr<const priority::Snapshot> snapshot);

  // Removes the cluster's snapshot.
  void Forget(const std::string& cluster);

  // Call when the leader has published a snapshot of the cluster that this replica has yet to read:
  // until StopExpecting callers retry if it is the first one. nullopt = all.
  void Expect(const std::string& cluster);
  void StopExpecting(const ClusterNames& clusters);

  // Replaces the names of the clusters that are in another cell, with that cell.
  void SetMoved(absl::btree_map<std::string, std::string> moved);

  // Removes the cluster.
  void Drop(const std::string& cluster);

  // The deleted clusters that can be restored, and until when: errors name them.
  void SetDeleted(absl::btree_map<std::string, absl::Time> deleted);

  // Removes all clusters but `names`.
  void Keep(const std::vector<std::string>& names);

  // The generations of all snapshots, by cluster.
  absl::btree_map<std::string, int64_t> Generations() const;

  // All clusters by name; null = no snapshot.
  absl::btree_map<std::string, std::shared_ptr<const priority::Snapshot>> List() const;

  // Records that the snapshots are the newest as of now.
  void Confirm();

  // The time since the last Confirm, which stops when the database does not answer; 0 while that
  // time is short.
  absl::Duration StaleFor() const;

  // Waits until the cluster's snapshot has this generation or a later one; UNAVAILABLE after
  // `patience`.
  absl::StatusOr<std::shared_ptr<const priority::Snapshot>> AwaitGeneration(
      const std::string& cluster, int64_t generation, absl::Duration patience) const;

  // The name of a known cluster; empty = the only cluster. NOT_FOUND (UNKNOWN_CLUSTER),
  // INVALID_ARGUMENT (AMBIGUOUS_CLUSTER) with several, FAILED_PRECONDITION (NO_CLUSTER) with none;
  // UNAVAILABLE (CLUSTER_MOVED) for one in another cell, (CLUSTER_LOADING) for an expected one.
  absl::StatusOr<std::string> Resolve(absl::string_view cluster) const;

  // The newest snapshot. Errors of Resolve; FAILED_PRECONDITION (NO_SNAPSHOT)
  // before the first recalculation.
  absl::StatusOr<std::shared_ptr<const priority::Snapshot>> Find(absl::string_view cluster) const;

 private:
  using Snapshots = absl::btree_map<std::string, std::shared_ptr<const priority::Snapshot>>;

  absl::StatusOr<Snapshots::const_iterator> Locate(absl::string_view cluster) const
      ABSL_SHARED_LOCKS_REQUIRED(mutex_);

  bool IsExpected(absl::string_view cluster) const ABSL_SHARED_LOCKS_REQUIRED(mutex_);

  // The error if no cluster exists, for the caller that asked for `cluster`. Names one that was
  // deleted or has moved, if any: perhaps the caller seeks that one.
  std::string NoClusterText(absl::string_view cluster) const ABSL_SHARED_LOCKS_REQUIRED(mutex_);

  // The clusters for the want part of an error: `one of c, d`.
  std::string SomeNames() const ABSL_SHARED_LOCKS_REQUIRED(mutex_);

  const threads::Clock clock_;
  mutable absl::Mutex mutex_;
  Snapshots snapshots_ ABSL_GUARDED_BY(mutex_);
  absl::btree_set<std::string> expected_ ABSL_GUARDED_BY(mutex_);
  absl::btree_map<std::string, absl::Time> deleted_ ABSL_GUARDED_BY(mutex_);
  absl::btree_map<std::string, std::string> moved_ ABSL_GUARDED_BY(mutex_);
  // Signalled when a snapshot arrives.
  mutable absl::CondVar published_;
  absl::Time confirmed_at_ ABSL_GUARDED_BY(mutex_) = absl::InfiniteFuture();
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_SNAPSHOT_REGISTRY_H_
