// Converts budgets, usage of QOS and costs of jobs to the API.
#ifndef PRIORITYD_SERVER_API_BUDGETS_CONVERT_BUDGET_H_
#define PRIORITYD_SERVER_API_BUDGETS_CONVERT_BUDGET_H_

#include <google/protobuf/map.h>

#include <string>
#include <vector>

#include "engine/priority/jobs/job.h"
#include "engine/priority/snapshot/snapshot.h"
#include "priority/v1/budget.pb.h"
#include "server/budgets/budget.h"
#include "server/budgets/job_cost.h"
#include "server/budgets/running_usage.h"

namespace priorityd::rpc {

// Every TRES that the cluster has or has used, in Slurm's order: Slurm's eight own ones, then the
// others by name.
std::vector<std::string> TresNames(const priority::Snapshot& snapshot);

// TRES-seconds to TRES-minutes; zeros are omitted.
void ToMinutes(const priority::TresMap& seconds,
               google::protobuf::Map<std::string, double>* minutes);

// Everything except the rate and values derived from it. `run`: the remaining usage of running
// jobs.
void ToProto(const priority::Snapshot& snapshot, const budgets::Budget& budget, double run,
             ::priority::v1::Budget* proto);

void ToProto(const priority::Snapshot& snapshot, int qos, const budgets::JobSums& running,
             ::priority::v1::QosUsage* proto);

// Budgets and fair-share only if `with_shares`.
void ToProto(const priority::Snapshot& snapshot, const priority::Job& job,
             const budgets::JobCost& cost, bool with_shares, ::priority::v1::JobCost* proto);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_BUDGETS_CONVERT_BUDGET_H_
