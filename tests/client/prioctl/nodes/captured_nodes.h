// The nodes of a real Slurm, and what its tools printed of them.
#ifndef PRIORITYD_TESTS_CLIENT_PRIOCTL_NODES_CAPTURED_NODES_H_
#define PRIORITYD_TESTS_CLIENT_PRIOCTL_NODES_CAPTURED_NODES_H_

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "client/prioctl/nodes/cluster_nodes.h"
#include "engine/slurm/conf/partition_words.h"
#include "engine/slurm/conf/slurm_conf.h"
#include "priority/v1/administration.pb.h"
#include "priority/v1/queue.pb.h"

namespace priorityd::nodes {

// What slurmctld ran with.
inline std::string CapturedNodesConf() {
  std::stringstream text;
  text << std::ifstream("tests/slurm/captured/nodes.conf").rdbuf();
  return text.str();
}

// Its partitions, as the service returns them: by name.
inline ::priority::v1::ListPartitionsResponse PartitionsOf(const std::string& conf_text) {
  const auto conf = slurm::ParseAcceptedSlurmConf({{"nodes.conf", conf_text}});
  EXPECT_TRUE(conf.ok()) << conf.status();
  std::map<std::string, ::priority::v1::Partition> by_name;
  for (const auto& partition : conf->partitions) {
    ::priority::v1::Partition& proto = by_name[partition.name];
    proto.set_name(partition.name);
    for (const auto& cells : {slurm::PartitionCells(partition), slurm::NodeCells(partition)}) {
      for (const auto& [word, value] : cells) (*proto.mutable_attributes())[word] = value;
    }
  }
  ::priority::v1::ListPartitionsResponse response;
  for (const auto& [name, partition] : by_name) *response.add_partitions() = partition;
  return response;
}

// A job that runs on these nodes; empty = its frontend has not reported them.
inline ::priority::v1::TrackedJob RunningJob(const std::string& id, double cpus, double memory,
                                             const std::string& partition,
                                             const std::string& nodes) {
  ::priority::v1::TrackedJob tracked;
  ::priority::v1::Job& job = *tracked.mutable_job();
  job.set_job_id(id);
  job.set_user("ann");
  job.set_state(::priority::v1::JOB_STATE_RUNNING);
  job.add_partitions(partition);
  job.set_nodes(1);
  job.set_cpus(cpus);
  (*job.mutable_tres())["mem"] = memory;
  job.set_node_list(nodes);
  return tracked;
}

// The two jobs that ran while the tools were asked.
inline ::priority::v1::ListJobsResponse CapturedRunningJobs() {
  ::priority::v1::ListJobsResponse response;
  *response.add_jobs() = RunningJob("1", 3, 1000, "main", "n1");
  *response.add_jobs() = RunningJob("2", 8, 2000, "gpu", "n2");
  (*response.mutable_jobs(1)->mutable_job()->mutable_tres())["gres/gpu"] = 1;
  return response;
}

inline NodeLinesText LinesOf(const std::string& conf_text) {
  NodeLinesText lines;
  const auto kinds = slurm::ReadNodeKinds({{"nodes.conf", conf_text}});
  const auto conf = slurm::ParseAcceptedSlurmConf({{"nodes.conf", conf_text}});
  EXPECT_TRUE(kinds.ok() && conf.ok()) << kinds.status() << conf.status();
  lines.kinds = *kinds;
  for (const auto& partition : conf->partitions) lines.partitions.push_back(partition.name);
  return lines;
}

inline ClusterNodes CapturedNodes(const ::priority::v1::ListJobsResponse& jobs) {
  const std::string conf = CapturedNodesConf();
  return BuildClusterNodes(LinesOf(conf), PartitionsOf(conf).partitions(), jobs.jobs(), false);
}

// The nodes while no job ran and two reservations were active.
inline ClusterNodes CapturedReservedNodes() {
  google::protobuf::RepeatedPtrField<::priority::v1::Reservation> reservations;
  const auto add = [&](const char* name, const char* nodes, const char* flags, const char* state) {
    ::priority::v1::Reservation& reservation = *reservations.Add();
    reservation.set_name(name);
    (*reservation.mutable_attributes())["Nodes"] = nodes;
    (*reservation.mutable_attributes())["Flags"] = flags;
    (*reservation.mutable_attributes())["State"] = state;
  };
  add("class", "n1,d2", "", "ACTIVE");
  add("care", "n2,d1", "MAINT", "ACTIVE");
  add("later", "n[1-2],d[1-2]", "MAINT", "INACTIVE");
  const std::string conf = CapturedNodesConf();
  return BuildClusterNodes(LinesOf(conf), PartitionsOf(conf).partitions(), {}, false, reservations);
}

}  // namespace priorityd::nodes

#endif  // PRIORITYD_TESTS_CLIENT_PRIOCTL_NODES_CAPTURED_NODES_H_
