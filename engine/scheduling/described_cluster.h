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
#include "engine/priority/site/reservation.h"
#include "engine/priority/snapshot/snapshot.h"
#include "engine/scheduling/cluster_description.h"

namespace priorityd::scheduling {

// A described cluster and the placement of jobs on it. Amounts are in thousandths, rounded up for
// jobs; of a resource or a license of which there are more than 1e9, in larger parts.
//
// The reservations of the snapshot close their nodes for their time to all jobs that do not name
// them. A job that names one gets its nodes within its time alone; with FLEX at any time, and those
// that no reservation has too. Nodes that another reservation with MAINT has for a part of that
// time are left to that one. Nodes of a described type that different reservations have are types
// of their own.
class DescribedCluster {
 public:
  // INVALID_ARGUMENT names placements on nodes or node types that are not described. `snapshot`
  // must outlive this.
  static absl::StatusOr<DescribedCluster> Make(const priority::Snapshot& snapshot,
                                               const ClusterDescription& description,
                                               absl::Span<const JobPlacement> placements);

  const plan::Cluster& cluster() const { return cluster_; }
  std::vector<std::string> NodeNames(const std::vector<int>& nodes) const;

  // The demand of a job that may start, in one of its partitions (-1 = none). A place without node
  // types fits nowhere.
  plan::Request RequestOf(const priority::Job& job, int partition) const;
  plan::Place PlaceOf(const priority::Job& job, int partition) const;
  // The same, with the types alone that are open to the job from `now` until its time limit ends.
  plan::Place PlaceNow(const priority::Job& job, int partition, absl::Time now) const;
  // On the nodes of its placement, else of its node_list; without either they are unknown. `now`
  // counts as the start of a running job without a start time. It uses no more than a node or a
  // pool has: the rest would change no plan.
  plan::RunningJob RunningOf(const priority::Job& job, int partition, absl::Time now) const;
  // The job's time limit, else the partition's DefaultTime, else MaxTime; at least a second.
  absl::Duration TimeLimitOf(const priority::Job& job, int partition) const;

  // The first reservation that closes nodes of the place at a time in [from, until); null = none.
  const priority::Reservation* ClosingOf(const plan::Place& place, absl::Time from,
                                         absl::Time until) const;

  // `2 nodes of 1 cpu, 2 gres/gpu`.
  std::string Describe(const plan::Request& request) const;
  // The pool's object and size: `partition owners may hold 4 nodes`.
  std::string DescribePool(int pool) const;
  // Whether the pool is a partition's cap; otherwise licenses.
  bool IsPartitionCap(int pool) const { return pool < caps_; }

 private:
  explicit DescribedCluster(const priority::Snapshot& snapshot) : snapshot_(snapshot) {}

  // Numbers of reservations_, ascending.
  using Reservations = std::vector<int>;

  void AddReservations(const ClusterDescription& description);
  void AddResources(const ClusterDescription& description);
  void AddType(const NodeType& type);
  // Of a described type, the nodes that these reservations have.
  void AddNodes(const NodeType& type, const Reservations& of,
                const std::vector<std::string>& nodes);
  void UseAtMostAll(plan::RunningJob* running) const;
  // Whether a job of a reservation (null = of none) may use nodes of a type at some time.
  bool Takes(int type, const priority::Reservation* own) const;
  const priority::Reservation* ReservationOf(const priority::Job& job) const;
  void AddPools(const ClusterDescription& description);
  // Ascending; empty if one of them is not described.
  std::vector<int> NodesNamed(absl::string_view hostlist) const;
  absl::Status AddPlacement(const std::string& field, const JobPlacement& placement);

  struct Placement {
    std::vector<int> types;
    std::vector<int> nodes;
  };

  const priority::Snapshot& snapshot_;
  std::vector<std::string> resources_;  // cpu and gres/gpu are the first two.
  absl::flat_hash_map<std::string, int> resource_of_;
  std::vector<double> parts_;  // By resource: the parts of one unit.
  plan::Amounts most_;         // By resource: the most that a node has.
  plan::Cluster cluster_;
  std::vector<const priority::Reservation*> reservations_;          // With nodes of this cluster.
  absl::flat_hash_map<std::string, Reservations> reservations_of_;  // By node.
  std::vector<Reservations> reservations_of_type_;                  // By type of cluster_.
  int open_ = -1;  // The resource that jobs of no reservation need and closures take; -1 = none.
  absl::flat_hash_map<std::string, std::vector<int>> types_of_;  // By described type.
  std::vector<std::vector<int>> types_of_partition_;             // By partition of the snapshot.
  std::vector<int> all_types_;
  std::vector<std::string> node_names_;
  absl::flat_hash_map<std::string, int> node_of_;
  int caps_ = 0;
  std::vector<std::string> pool_names_;  // The partition, or the license.
  std::vector<double> parts_of_pool_;    // Of one unit.
  absl::flat_hash_map<std::string, int> pool_of_license_;
  std::vector<int> cap_of_partition_;  // A pool; -1 = none.
  absl::flat_hash_map<std::string, Placement> placements_;
};

}  // namespace priorityd::scheduling

#endif  // PRIORITYD_ENGINE_SCHEDULING_DESCRIBED_CLUSTER_H_
