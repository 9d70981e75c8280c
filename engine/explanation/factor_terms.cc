#include "engine/explanation/factor_terms.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/explanation/factor_inputs.h"
#include "engine/explanation/grant_text.h"
#include "engine/priority/jobs/factors.h"

namespace priorityd::explanation {
namespace {

void FillShares(std::vector<FactorExplanation>& terms) {
  double positive = 0;
  for (const FactorExplanation& term : terms) positive += std::max(0.0, term.contribution);
  for (FactorExplanation& term : terms) {
    if (term.contribution > 0) term.share = term.contribution / positive;
  }
}

}  // namespace

std::vector<FactorExplanation> ExplainFactors(const priority::ScoredQueue& queue, size_t row,
                                              const priority::JobRow& filled) {
  std::vector<FactorExplanation> terms;
  if (filled.factors == nullptr) return terms;
  const priority::Policy& policy = queue.policy();
  const priority::Job& job = queue.jobs()[filled.job];
  const priority::PriorityFactors& f = *filled.factors;
  const priority::PriorityFactors& c = *filled.contributions;
  const FactorInputs inputs(queue, row, f);
  const auto add = [&terms](std::string name, std::string raw_input, double factor, double weight,
                            double contribution) {
    terms.push_back({std::move(name), std::move(raw_input), factor, weight, contribution, 0});
  };
  const auto note = [&](priority::ReducedFactor factor) {
    return ReductionText(queue.snapshot(), filled.association, factor);
  };
  using Reduced = priority::ReducedFactor;
  add("age", inputs.Age() + note(Reduced::kAge), f.age, policy.weight_age, c.age);
  add("assoc", inputs.Assoc() + note(Reduced::kAssoc), f.assoc, policy.weight_assoc, c.assoc);
  add("fair_share", inputs.FairShare() + note(Reduced::kFairShare), f.fair_share,
      policy.weight_fair_share, c.fair_share);
  add("job_size", inputs.JobSize() + note(Reduced::kJobSize), f.job_size, policy.weight_job_size,
      c.job_size);
  add("partition", inputs.Partition() + note(Reduced::kPartition), f.partition,
      policy.weight_partition, c.partition);
  add("qos", inputs.Qos() + note(Reduced::kQos), f.qos, policy.weight_qos, c.qos);
  for (size_t i = 0; i < f.tres.size(); ++i) {
    add(absl::StrCat("tres/", queue.scale().tres_name(i)), inputs.Tres(i) + note(Reduced::kTres),
        f.tres[i], queue.scale().tres_weight(i), c.tres[i]);
  }
  add("site", absl::StrCat("site factor ", job.site_factor, note(Reduced::kSite)), f.site, 1,
      c.site);
  add("nice", absl::StrCat("nice ", job.nice), f.nice, -1, c.nice);
  FillShares(terms);
  return terms;
}

}  // namespace priorityd::explanation
