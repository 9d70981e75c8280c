// The resources that a job requests; a missing field takes its default from another one.
#ifndef PRIORITYD_ENGINE_PRIORITY_JOBS_JOB_DEMAND_H_
#define PRIORITYD_ENGINE_PRIORITY_JOBS_JOB_DEMAND_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/site/policy.h"
#include "engine/priority/site/tres.h"

namespace priorityd::priority {

// The least number of nodes that a job requests: Job::nodes, 0 counts as 1.
double NodesOf(const Job& job);

// The CPUs that a job requests: Job::cpus, else its TRES `cpu`, else 0.
double CpusOf(const Job& job);

// The count of a TRES (canonical name): the count that the job gives; else CpusOf for `cpu`,
// NodesOf for `node`, `memory` for `mem`, 0 for others. `billing` is never computed.
double TresCountOf(const Job& job, absl::string_view canonical_name,
                   const DefaultMemory& memory = {});

// The memory (MB) that `memory` gives to a job that names none: DefMemPerCPU times CpusOf, or
// DefMemPerNode times NodesOf.
double MemoryBy(const DefaultMemory& memory, const Job& job);

// Whether the job names no `mem`, so that a default memory counts.
bool TakesDefaultMemory(const Job& job);

// The count of the TRES `billing` that the job gives; nullopt = none.
std::optional<double> GivenBilling(const Job& job);

// Writes all counts but `billing` into `tres`, by canonical name; `memory` as in TresCountOf. Names
// already in the map are set to 0 if the job does not request them, so that one map serves many
// jobs without allocating.
void FillTres(const Job& job, TresMap& tres, const DefaultMemory& memory = {});

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_JOBS_JOB_DEMAND_H_
