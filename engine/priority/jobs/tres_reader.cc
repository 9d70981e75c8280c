#include "engine/priority/jobs/tres_reader.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "engine/priority/jobs/job_demand.h"

namespace priorityd::priority {

TresReader::TresReader(absl::Span<const std::string> names) : names_(names), counts_(names.size()) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == "cpu") cpu_ = static_cast<int>(i);
    if (names[i] == "node") node_ = static_cast<int>(i);
    if (names[i] == "mem") mem_ = static_cast<int>(i);
  }
}

absl::Span<const double> TresReader::Read(const Job& job, const JobDefaults& defaults) {
  std::fill(counts_.begin(), counts_.end(), 0);
  if (cpu_ != kNone) counts_[cpu_] = job.cpus;
  if (node_ != kNone) counts_[node_] = NodesOf(job);
  if (mem_ != kNone) counts_[mem_] = MemoryBy(defaults, job);
  for (size_t place = 0; place < job.tres.size(); ++place) {
    const int column = ColumnOf(place, job.tres[place].first);
    if (column != kNone) counts_[column] = job.tres[place].second;
  }
  if (cpu_ != kNone && defaults.given()) counts_[cpu_] = RaisedCpus(counts_[cpu_], job, defaults);
  return counts_;
}

int TresReader::ColumnOf(size_t place, absl::string_view given) {
  if (last_.size() <= place) last_.resize(place + 1, kNone);
  int& last = last_[place];
  if (last != kNone && names_[last] == given) return last;
  last = kNone;
  for (size_t i = 0; i < names_.size() && last == kNone; ++i) {
    if (absl::EqualsIgnoreCase(names_[i], given)) last = static_cast<int>(i);
  }
  return last;
}

}  // namespace priorityd::priority
