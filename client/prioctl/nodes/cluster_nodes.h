// The nodes of a cluster, by the policy's NodeName lines, and their use by running jobs.
#ifndef PRIORITYD_CLIENT_PRIOCTL_NODES_CLUSTER_NODES_H_
#define PRIORITYD_CLIENT_PRIOCTL_NODES_CLUSTER_NODES_H_

#include <map>
#include <string>
#include <vector>

#include "client/prioctl/nodes/node_state.h"
#include "engine/slurm/conf/node_kinds.h"
#include "priority/v1/administration.pb.h"
#include "priority/v1/queue.pb.h"
#include "priority/v1/reservation.pb.h"

namespace priorityd::nodes {

struct Node {
  std::string name;
  NodeState state = NodeState::kIdle;
  Reserved reserved = Reserved::kNo;
  double cpus = 0;
  double memory = 0;                            // MB; 0 = the line states none.
  std::map<std::string, double> gres;           // gres/NAME to count, as the line states them.
  double allocated_cpus = 0;                    // By running and suspended jobs.
  double allocated_memory = 0;                  // MB, as far as these jobs state theirs.
  std::map<std::string, double> used_gres;      // gres/NAME to count.
  std::vector<std::string> partitions;          // In the order of their lines.
  std::map<std::string, std::string> settings;  // As in slurm::NodeKind.

  // The setting; `otherwise` without it.
  std::string Setting(const std::string& lower_key, const std::string& otherwise) const;
  // Numbers of the line; by default one socket per CPU, as in slurmctld.
  int Sockets() const;
  int Cores() const;    // Per socket.
  int Threads() const;  // Per core.
};

// A partition and its nodes.
struct NodePartition {
  ::priority::v1::Partition partition;
  std::vector<int> nodes;  // Places in ClusterNodes::nodes, ascending.
  // Of its totals, what no line of the text has: the text Includes other files, or has no lines.
  double unlisted_nodes = 0;
  double unlisted_cpus = 0;

  const std::string& name() const { return partition.name(); }
  // The setting; `otherwise` without it.
  std::string Setting(const std::string& name, const std::string& otherwise) const;
  double Number(const std::string& name) const;  // 0 without it.
};

// The nodes of a slurm.conf.
struct NodeLinesText {
  std::vector<slurm::NodeKind> kinds;
  std::vector<std::string> partitions;  // In the order of their lines.
};

struct ClusterNodes {
  std::vector<Node> nodes;  // By name; numbers at the end of names compare as numbers.
  // The partitions of the lines in their order, then others.
  std::vector<NodePartition> partitions;
  // Running jobs that name no node: their partitions' idle nodes are in state kUnknown.
  int jobs_without_nodes = 0;
};

// `lines`: of the policy's text. `jobs`: running and suspended; the CPUs and TRES of a job are
// spread evenly over its nodes. A node is allocated if its jobs have all its CPUs. `hides_jobs`:
// other jobs run, on any nodes. `reservations`: the active ones have their nodes.
ClusterNodes BuildClusterNodes(
    const NodeLinesText& lines,
    const google::protobuf::RepeatedPtrField<::priority::v1::Partition>& partitions,
    const google::protobuf::RepeatedPtrField<::priority::v1::TrackedJob>& jobs, bool hides_jobs,
    const google::protobuf::RepeatedPtrField<::priority::v1::Reservation>& reservations = {});

}  // namespace priorityd::nodes

#endif  // PRIORITYD_CLIENT_PRIOCTL_NODES_CLUSTER_NODES_H_
