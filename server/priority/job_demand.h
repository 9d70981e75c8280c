// What a job asks for, with the defaults that one field lends another.
#ifndef PRIORITYD_SERVER_PRIORITY_JOB_DEMAND_H_
#define PRIORITYD_SERVER_PRIORITY_JOB_DEMAND_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "server/priority/job.h"
#include "server/priority/tres.h"

namespace priorityd::priority {

// The nodes that a job asks for at least: Job::nodes, 0 counts 1.
double NodesOf(const Job& job);

// The CPUs that a job asks for: Job::cpus, else its TRES `cpu`, else 0.
double CpusOf(const Job& job);

// The count of a TRES (canonical name): what the job names under it, else for
// `cpu` CpusOf, for `node` NodesOf, else 0. `billing` is that given only.
double TresCountOf(const Job& job, absl::string_view canonical_name);

// The billing count that the job brings along, if it does.
std::optional<double> GivenBilling(const Job& job);

// All of the above by canonical name, without `billing`, into `tres`. Names
// already there keep their node and become 0 when the job has none: so one map
// serves many jobs without allocating.
void FillTres(const Job& job, TresMap& tres);

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_JOB_DEMAND_H_
