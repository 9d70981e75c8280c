// Budgets, usage of QOS and costs of jobs to their messages.
#ifndef PRIORITYD_SERVER_RPC_CONVERT_BUDGET_H_
#define PRIORITYD_SERVER_RPC_CONVERT_BUDGET_H_

#include <google/protobuf/map.h>

#include <string>
#include <vector>

#include "priority/v1/budget.pb.h"
#include "server/authorization/visibility.h"
#include "server/budgets/budget.h"
#include "server/budgets/job_cost.h"
#include "server/budgets/running_usage.h"
#include "server/priority/job.h"
#include "server/priority/snapshot.h"

namespace priorityd::rpc {

// Every TRES that the cluster has or has used, in Slurm's order: its own eight, then the others by
// name.
std::vector<std::string> TresNames(const priority::Snapshot& snapshot);

// By index of a QOS: where shares are private, whether an association that the caller is shown may
// use it.
std::vector<bool> ShownQos(const priority::Snapshot& snapshot,
                           const authorization::Visibility& sees);

// TRES-seconds to TRES-minutes; what is 0 is left out.
void ToMinutes(const priority::TresMap& seconds,
               google::protobuf::Map<std::string, double>* minutes);

// All but the rate and what follows from it. `run`: what running jobs may still use.
void ToProto(const priority::Snapshot& snapshot, const budgets::Budget& budget, double run,
             ::priority::v1::Budget* proto);

void ToProto(const priority::Snapshot& snapshot, int qos, const budgets::JobSums& running,
             ::priority::v1::QosUsage* proto);

// Budgets and fair-share `with_shares` only.
void ToProto(const priority::Snapshot& snapshot, const priority::Job& job,
             const budgets::JobCost& cost, bool with_shares, ::priority::v1::JobCost* proto);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_CONVERT_BUDGET_H_
