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

// The same where `defaults` hold: DefCpuPerGPU for each GPU of a job that names no CPUs, and at
// least as many on each node as MaxMemPerCPU wants for the memory of the job.
double CpusOf(const Job& job, const JobDefaults& defaults);

// The same of a job whose CPUs are counted as `cpus`.
double RaisedCpus(double cpus, const Job& job, const JobDefaults& defaults);

// The GPUs that a job requests: its TRES gres/gpu, or those of types together if they are more.
double GpusOf(const Job& job);

// The count of a TRES (canonical name): the count that the job gives; else CpusOf for `cpu`,
// NodesOf for `node`, `defaults` for `mem`, 0 for others; MaxMemPerCPU can raise `cpu`. `billing`
// is never computed.
double TresCountOf(const Job& job, absl::string_view canonical_name,
                   const JobDefaults& defaults = {});

// The memory (MB) that `defaults` give to a job that names none: DefMemPerGPU times GpusOf if it
// has GPUs, else DefMemPerCPU times CpusOf, or DefMemPerNode times NodesOf.
double MemoryBy(const JobDefaults& defaults, const Job& job);

// Whether the job names no `mem`, so that a default memory counts.
bool TakesDefaultMemory(const Job& job);

// The count of the TRES `billing` that the job gives; nullopt = none.
std::optional<double> GivenBilling(const Job& job);

// Writes all counts but `billing` into `tres`, by canonical name; `defaults` as in TresCountOf.
// Names already in the map are set to 0 if the job does not request them, so that one map serves
// many jobs without allocating.
void FillTres(const Job& job, TresMap& tres, const JobDefaults& defaults = {});

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_JOBS_JOB_DEMAND_H_
