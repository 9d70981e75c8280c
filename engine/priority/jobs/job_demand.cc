#include "engine/priority/jobs/job_demand.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace priorityd::priority {
namespace {

std::optional<double> NamedTres(const Job& job, absl::string_view name) {
  for (const auto& [given, count] : job.tres) {
    if (absl::EqualsIgnoreCase(given, name)) return count;
  }
  return std::nullopt;
}

double& Slot(TresMap& tres, absl::string_view name) {
  if (std::any_of(name.begin(), name.end(), absl::ascii_isupper)) {
    return tres[absl::AsciiStrToLower(name)];
  }
  const auto it = tres.find(name);
  return it != tres.end() ? it->second : tres[std::string(name)];
}

// `cpus`, else those that the GPUs of the job bring.
double NamedCpus(double cpus, const Job& job, const JobDefaults& defaults) {
  return cpus > 0 || defaults.cpus_per_gpu == 0 ? cpus : defaults.cpus_per_gpu * GpusOf(job);
}

}  // namespace

double NodesOf(const Job& job) { return std::max<double>(job.nodes, 1); }

double CpusOf(const Job& job) {
  return job.cpus > 0 ? job.cpus : NamedTres(job, "cpu").value_or(0);
}

double RaisedCpus(double cpus, const Job& job, const JobDefaults& defaults) {
  cpus = NamedCpus(cpus, job, defaults);
  if (defaults.max_memory_per_cpu == 0) return cpus;
  const double memory = NamedTres(job, "mem").value_or(MemoryBy(defaults, job));
  const double nodes = NodesOf(job);
  return std::max(cpus, nodes * std::ceil(memory / nodes / defaults.max_memory_per_cpu));
}

double GpusOf(const Job& job) {
  double all = 0, of_types = 0;
  for (const auto& [name, count] : job.tres) {
    if (absl::EqualsIgnoreCase(name, "gres/gpu")) all = count;
    if (absl::StartsWithIgnoreCase(name, "gres/gpu:")) of_types += count;
  }
  return std::max(all, of_types);
}

double CpusOf(const Job& job, const JobDefaults& defaults) {
  return RaisedCpus(CpusOf(job), job, defaults);
}

double MemoryBy(const JobDefaults& defaults, const Job& job) {
  const double by_gpus = defaults.memory_per_gpu > 0 ? defaults.memory_per_gpu * GpusOf(job) : 0;
  if (by_gpus > 0) return by_gpus;
  const DefaultMemory& memory = defaults.memory;
  return memory.per_cpu > 0 ? memory.per_cpu * NamedCpus(CpusOf(job), job, defaults)
                            : memory.per_node * NodesOf(job);
}

bool TakesDefaultMemory(const Job& job) { return !NamedTres(job, "mem").has_value(); }

double TresCountOf(const Job& job, absl::string_view canonical_name, const JobDefaults& defaults) {
  const std::optional<double> named = NamedTres(job, canonical_name);
  if (canonical_name == "cpu") return RaisedCpus(named.value_or(job.cpus), job, defaults);
  if (named.has_value()) return *named;
  if (canonical_name == "node") return NodesOf(job);
  if (canonical_name == "mem") return MemoryBy(defaults, job);
  return 0;
}

std::optional<double> GivenBilling(const Job& job) { return NamedTres(job, "billing"); }

void FillTres(const Job& job, TresMap& tres, const JobDefaults& defaults) {
  for (auto& [name, count] : tres) count = 0;
  Slot(tres, "cpu") = job.cpus;
  Slot(tres, "node") = NodesOf(job);
  if (defaults.given()) Slot(tres, "mem") = MemoryBy(defaults, job);
  for (const auto& [name, count] : job.tres) {
    if (!absl::EqualsIgnoreCase(name, "billing")) Slot(tres, name) = count;
  }
  double& cpus = Slot(tres, "cpu");
  cpus = RaisedCpus(cpus, job, defaults);
}

}  // namespace priorityd::priority
