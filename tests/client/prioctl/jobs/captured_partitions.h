// The partitions of the site that a real Slurm showed.
#ifndef PRIORITYD_TESTS_CLIENT_PRIOCTL_JOBS_CAPTURED_PARTITIONS_H_
#define PRIORITYD_TESTS_CLIENT_PRIOCTL_JOBS_CAPTURED_PARTITIONS_H_

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "engine/slurm/conf/partition_words.h"
#include "engine/slurm/conf/slurm_conf.h"
#include "priority/v1/administration.pb.h"

namespace priorityd::jobs {

// The lines of tests/slurm/captured/slurm.conf that partitions are made of.
inline constexpr char kCapturedConf[] =
    "PreemptType=preempt/qos\n"
    "PreemptMode=REQUEUE\n"
    "NodeName=n[1-2] CPUs=8 RealMemory=8000 Gres=gpu:2 State=UNKNOWN\n"
    "PartitionName=main Nodes=n[1-2] Default=YES MaxTime=7-00:00:00 DefaultTime=01:00:00 "
    "PriorityJobFactor=10 TRESBillingWeights=CPU=1.0,Mem=0.25G,GRES/gpu=2.0 State=UP\n"
    "PartitionName=gpu Nodes=n2 MaxTime=1-00:00:00 PriorityJobFactor=50 "
    "AllowQos=normal,high,long DenyAccounts=guests State=UP\n"
    "PartitionName=debug Nodes=n1 MaxTime=00:30:00 MaxNodes=1 PriorityJobFactor=100 "
    "PriorityTier=2 QOS=debug AllowAccounts=physics,chem State=UP\n";

// As the service returns them.
inline std::vector<::priority::v1::Partition> CapturedPartitions() {
  const std::vector<slurm::SourceFile> files = {{"slurm.conf", kCapturedConf}};
  const auto conf = slurm::ParseSlurmConf(files);
  EXPECT_TRUE(conf.ok()) << conf.status();
  std::vector<::priority::v1::Partition> all;
  if (!conf.ok()) return all;
  for (const auto& partition : conf->partitions) {
    ::priority::v1::Partition& proto = all.emplace_back();
    proto.set_name(partition.name);
    for (const auto& cells : {slurm::PartitionCells(partition), slurm::NodeCells(partition)}) {
      for (const auto& [word, value] : cells) (*proto.mutable_attributes())[word] = value;
    }
  }
  return all;
}

}  // namespace priorityd::jobs

#endif  // PRIORITYD_TESTS_CLIENT_PRIOCTL_JOBS_CAPTURED_PARTITIONS_H_
