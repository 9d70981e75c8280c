// The nodes described by the policies in force.
#ifndef PRIORITYD_SERVER_API_PLANS_KNOWN_NODES_H_
#define PRIORITYD_SERVER_API_PLANS_KNOWN_NODES_H_

#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/priority/snapshot/snapshot.h"
#include "engine/slurm/conf/node_kinds.h"
#include "priority/v1/plan.pb.h"
#include "server/threads/clock.h"
#include "server/transport/worker_pool.h"
#include "storage/configuration/policy_store.h"
#include "storage/database/database.h"

namespace priorityd::rpc {

// Reads a cluster's policy once per snapshot, and parses it if its text has changed. Thread-safe.
class KnownNodes {
 public:
  using Description = std::shared_ptr<const ::priority::v1::ClusterDescription>;

  // `database` and `reading`, on whose threads it reads, must outlive this. `clock`: see
  // threads::Clocks::real.
  KnownNodes(storage::Database* database, WorkerPool* reading, threads::Clock clock)
      : database_(database), reading_(*reading), clock_(std::move(clock)) {}
  ~KnownNodes() { reading_.AwaitIdle(); }

  // The nodes that are up and in partitions by the NodeName lines of the snapshot's policy, and the
  // cluster's licenses. Null without such lines, or with more nodes than a plan may have. If the
  // database does not answer within a second, returns the last known nodes or null, without waiting
  // again until it has answered.
  Description Of(const std::shared_ptr<const priority::Snapshot>& snapshot)
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Kinds = std::vector<slurm::NodeKind>;

  // A cluster's last reading, and its snapshot.
  struct Known {
    int64_t generation = -1;
    absl::Time computed_at;
    absl::Time again_at = absl::InfinitePast();  // After a failure.
    std::shared_future<void> reading;            // Valid during the reading.
    std::vector<storage::PolicyFile> files;
    std::shared_ptr<const Kinds> kinds;
    Description description;

    bool IsOf(const priority::Snapshot& snapshot) const {
      return generation == snapshot.generation() && computed_at == snapshot.computed_at();
    }
  };

  // Starts reading the policy of the snapshot.
  std::shared_future<void> BeginToRead(std::shared_ptr<const priority::Snapshot> snapshot,
                                       const Known& known);
  // `known`, updated from the database.
  absl::StatusOr<Known> Read(const priority::Snapshot& snapshot, Known known) const;

  storage::Database* const database_;
  WorkerPool& reading_;
  const threads::Clock clock_;
  absl::Mutex mutex_;
  absl::flat_hash_map<std::string, Known> known_ ABSL_GUARDED_BY(mutex_);
  bool is_late_ ABSL_GUARDED_BY(mutex_) = false;  // The database is late with an answer.
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_PLANS_KNOWN_NODES_H_
