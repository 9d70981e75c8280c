// Converts the cluster description of PlanStarts and SuggestPreemption for engine/plan.
#ifndef PRIORITYD_SERVER_API_PLANS_CONVERT_PLAN_H_
#define PRIORITYD_SERVER_API_PLANS_CONVERT_PLAN_H_

#include <google/protobuf/repeated_ptr_field.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/plan/cluster.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/snapshot/snapshot.h"
#include "priority/v1/plan.pb.h"

namespace priorityd::rpc {

// A described cluster and the placement of jobs on it. Amounts are in thousandths, rounded up for
// jobs.
class DescribedCluster {
 public:
  // INVALID_ARGUMENT names placements on nodes or node types that are not described. REQUIRES: the
  // request is valid; it and `snapshot` outlive this.
  static absl::StatusOr<DescribedCluster> Make(
      const priority::Snapshot& snapshot, const ::priority::v1::ClusterDescription& description,
      const google::protobuf::RepeatedPtrField<::priority::v1::JobPlacement>& placements);

  const plan::Cluster& cluster() const { return cluster_; }
  std::vector<std::string> NodeNames(const std::vector<int>& nodes) const;

  // The demand of a job in one of its partitions (-1 = none). A place without node types fits
  // nowhere.
  plan::Request RequestOf(const priority::Job& job) const;
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

  void AddResources(const ::priority::v1::ClusterDescription& description);
  void AddType(const ::priority::v1::NodeType& type);
  void AddPools(const ::priority::v1::ClusterDescription& description);
  absl::Status AddPlacement(const std::string& field,
                            const ::priority::v1::JobPlacement& placement);

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

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_PLANS_CONVERT_PLAN_H_
