#include "engine/priority/jobs/job_demand.h"

#include <algorithm>
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

}  // namespace

double NodesOf(const Job& job) { return std::max<double>(job.nodes, 1); }

double CpusOf(const Job& job) {
  return job.cpus > 0 ? job.cpus : NamedTres(job, "cpu").value_or(0);
}

double MemoryBy(const DefaultMemory& memory, const Job& job) {
  return memory.per_cpu > 0 ? memory.per_cpu * CpusOf(job) : memory.per_node * NodesOf(job);
}

bool TakesDefaultMemory(const Job& job) { return !NamedTres(job, "mem").has_value(); }

double TresCountOf(const Job& job, absl::string_view canonical_name, const DefaultMemory& memory) {
  if (const auto named = NamedTres(job, canonical_name)) return *named;
  if (canonical_name == "cpu") return job.cpus;
  if (canonical_name == "node") return NodesOf(job);
  if (canonical_name == "mem") return MemoryBy(memory, job);
  return 0;
}

std::optional<double> GivenBilling(const Job& job) { return NamedTres(job, "billing"); }

void FillTres(const Job& job, TresMap& tres, const DefaultMemory& memory) {
  for (auto& [name, count] : tres) count = 0;
  Slot(tres, "cpu") = job.cpus;
  Slot(tres, "node") = NodesOf(job);
  if (memory.given()) Slot(tres, "mem") = MemoryBy(memory, job);
  for (const auto& [name, count] : job.tres) {
    if (!absl::EqualsIgnoreCase(name, "billing")) Slot(tres, name) = count;
  }
}

}  // namespace priorityd::priority
