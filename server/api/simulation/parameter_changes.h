// Differences of a slurm.conf's policy and partitions from those in force.
#ifndef PRIORITYD_SERVER_API_SIMULATION_PARAMETER_CHANGES_H_
#define PRIORITYD_SERVER_API_SIMULATION_PARAMETER_CHANGES_H_

#include <google/protobuf/repeated_ptr_field.h>

#include "engine/priority/snapshot/snapshot.h"
#include "priority/v1/simulation.pb.h"

namespace priorityd::rpc {

// Adds the parameters that differ, in the order of slurm::PolicyParameterTable(), then the
// differences of the cluster's totals and of partitions, as `PartitionName=main PriorityTier`. A
// new partition has the single entry `PartitionName=main`.
void AddParameterChanges(
    const priority::Snapshot& before, const priority::Snapshot& after,
    google::protobuf::RepeatedPtrField<::priority::v1::ParameterChange>* changes);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_SIMULATION_PARAMETER_CHANGES_H_
