// A described cluster as engine/plan takes it, and the demands of jobs on it.
#ifndef PRIORITYD_ENGINE_SCHEDULING_DESCRIBED_CLUSTER_H_
#define PRIORITYD_ENGINE_SCHEDULING_DESCRIBED_CLUSTER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/plan/cluster.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/snapshot/snapshot.h"
#include "engine/scheduling/cluster_description.h"

namespace priorityd::scheduling {

// A described cluster and the placement of jobs on it. Amounts are in thousandths, rounded up for
// jobs.
class DescribedCluster {
 public:
  // INVALID_ARGUMENT names placements on nodes or node types that are not described. `snapshot`
  // must outlive this.
  static absl::StatusOr<DescribedCluster> Make(const priority::Snapshot& snapshot,
                                               const ClusterDescription& description,
                                               absl::Span<const JobPlacement> placements);

  const plan::Cluster& cluster() const { return cluster_; }
  std::vector<std::string> NodeNames(const std::vector<int>& nodes) const;

  // The demand of a job in one of its partitions (-1 = none). A place without node types fits
  // nowhere.
  plan::Request RequestOf(const priority::Job& job, int partition) const;
  plan::Place PlaceOf(const priority::Job& job, int partition) const;
  // `now` counts as the start of a running job without a start time.
  plan::RunningJob RunningOf(const priority::Job& job, int partition, absl::Time now) const;
  // The job's time limit, else the partition's DefaultTime, else MaxTime; at least a second.
  absl::Duration TimeLimitOf(const priority::Job& job, int partition) const;

  // `2 nodes of 1 cpu, 2 gres/gpu`.
  std::string Describe(const plan::Request& request) const;
  // The pool's object and size: `partition owners may hold 4 nodes`.
  std::string DescribePool(int pool) const;
  // Whether the pool is a partition's cap; otherwise licenses.
  bool IsPartitionCap(int pool) const { return pool < caps_; }

 private:
  explicit DescribedCluster(const priority::Snapshot& snapshot) : snapshot_(snapshot) {}

  void AddResources(const ClusterDescription& description);
  void AddType(const NodeType& type);
  void AddPools(const ClusterDescription& description);
  absl::Status AddPlacement(const std::string& field, const JobPlacement& placement);

  struct Placement {
    std::vector<int> types;
    std::vector<int> nodes;
  };

  const priority::Snapshot& snapshot_;
  std::vector<std::string> resources_;  // cpu and gres/gpu are the first two.
  absl::flat_hash_map<std::string, int> resource_of_;
  plan::Cluster cluster_;
  absl::flat_hash_map<std::string, int> type_of_;
  std::vector<std::vector<int>> types_of_partition_;  // By partition of the snapshot.
  std::vector<int> all_types_;
  std::vector<std::string> node_names_;
  absl::flat_hash_map<std::string, int> node_of_;
  int caps_ = 0;
  std::vector<std::string> pool_names_;  // The partition, or the license.
  absl::flat_hash_map<std::string, int> pool_of_license_;
  std::vector<int> cap_of_partition_;  // A pool; -1 = none.
  absl::flat_hash_map<std::string, Placement> placements_;
};

}  // namespace priorityd::scheduling

#endif  // PRIORITYD_ENGINE_SCHEDULING_DESCRIBED_CLUSTER_H_
