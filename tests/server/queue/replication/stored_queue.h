// A cluster with a tracked queue in a database of its own, without a service around it.
#ifndef PRIORITYD_TESTS_SERVER_QUEUE_REPLICATION_STORED_QUEUE_H_
#define PRIORITYD_TESTS_SERVER_QUEUE_REPLICATION_STORED_QUEUE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/priority/site/policy.h"
#include "server/queue/replication/tracked_queues.h"
#include "server/recalculation/snapshot_registry.h"
#include "storage/database/database.h"

namespace priorityd::queue {

// The site of small_site.h as cluster `small`, recalculated at its kNow. Several on one
// database are replicas.
class StoredQueue {
 public:
  StoredQueue();
  // Another replica on the database at this url.
  explicit StoredQueue(const std::string& database_url, const QueueBounds& bounds = {});
  StoredQueue(const StoredQueue&) = delete;
  StoredQueue& operator=(const StoredQueue&) = delete;

  // Publishes the next snapshot, under this policy, with usage as in SmallSite.
  std::shared_ptr<const priority::Snapshot> Recalculate(
      const priority::Policy& policy = {}, const std::map<std::string, double>& usage = {});

  // Tracks pending jobs of user `ann`, or of `cat` in account chemistry.
  void Upsert(const std::vector<std::string>& job_ids, absl::string_view user = "ann");
  void Remove(const std::string& job_id);

  // The same site as another cluster.
  void AddCluster(const std::string& cluster);
  // Tracks jobs of a cluster; why one of them was refused, empty if none was.
  std::string Refusal(const std::string& cluster, const std::vector<std::string>& job_ids);

  TrackedQueues& queues() { return queues_; }
  const std::string& database_url() const { return database_.options().url; }

 private:
  QueueAnswer Update(const QueueRequest& request, const std::string& cluster = "small");

  storage::Database database_;
  recalculation::SnapshotRegistry registry_;
  TrackedQueues queues_;
  int64_t generation_ = 0;
};

// In the order of their ids.
std::vector<std::string> JobIds(const QueueState& state);

// The site factor of each job, in the order of their ids.
std::vector<int64_t> SiteFactorsOf(const QueueState& state);

}  // namespace priorityd::queue

#endif  // PRIORITYD_TESTS_SERVER_QUEUE_REPLICATION_STORED_QUEUE_H_
