#include "engine/priority/jobs/tres_reader.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "engine/priority/jobs/job_demand.h"
#include "engine/priority/site/tres_sum.h"

namespace priorityd::priority {

TresReader::TresReader(absl::Span<const std::string> names)
    : wanted_(names.size()), names_(names.begin(), names.end()) {
  for (size_t i = 0; i < wanted_; ++i) {
    if (IsTresSum(names[i])) AddSum(static_cast<int>(i));
    if (IsPrice(names[i])) terms_.push_back({static_cast<int>(i), kNone, 1});
  }
  counts_.resize(names_.size());
  cpu_ = Find("cpu");
  node_ = Find("node");
  mem_ = Find("mem");
}

int TresReader::Find(absl::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  return found == names_.end() ? kNone : static_cast<int>(found - names_.begin());
}

void TresReader::AddSum(int sum) {
  const TresTerms terms = TresTermsOf(names_[sum]);
  for (const TresTerm& term : terms) {
    if (term.tres == names_[sum]) return;  // A name that only looks like a sum.
    if (Find(term.tres) == kNone) names_.push_back(term.tres);
    terms_.push_back({sum, Find(term.tres), term.weight});
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
  for (const Term& term : terms_) counts_[term.sum] = 0;
  for (const Term& term : terms_) {
    counts_[term.sum] += term.weight * (term.tres == kNone ? 1 : counts_[term.tres]);
  }
  return absl::MakeConstSpan(counts_).first(wanted_);
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
