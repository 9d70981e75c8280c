// The effect of a policy, and findings on probable mistakes in it.
#ifndef PRIORITYD_ENGINE_EXPLANATION_POLICY_LINT_H_
#define PRIORITYD_ENGINE_EXPLANATION_POLICY_LINT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/explanation/factor_range.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::explanation {

// The codes:
// PRIORITY_BASIC          weights are set, but priority/basic has no priorities.
// NO_WEIGHT               no weight is set: all jobs have priority 1.
// FAIRSHARE_WEIGHT_SMALL  neighbours in the fair tree are less than a point apart.
// WEIGHT_WITHOUT_EFFECT   a weight is set, but its factor is the same for all jobs.
// BELOW_ONE_POINT         the range of a factor is lost when priorities are truncated.
// AGE_FAR_FROM_FULL       no job in the queue has waited for a tenth of PriorityMaxAge.
// FIRST_COME_FIRST_SERVED age far outweighs all other factors together.
// PRIORITY_OVERFLOW       sums can exceed the largest priority and then become equal.
// USAGE_COUNTS_FOR_EVER   usage never decays and is never reset.
// USAGE_UNBOUNDED         no total is known with which to bound usage records.
// IGNORED_PARAMETER       a parameter is set but not read.
// GRANT...                see LintGrants.
struct PolicyFinding {
  absl::string_view code;  // Static storage.
  std::string parameter;   // Its name in slurm.conf; empty = of grants.
  std::string message;     // Sentences with figures.
};

struct PolicyLint {
  FactorRanges factors;
  std::vector<PolicyFinding> findings;
};

// `jobs` may be empty; see RangesOnQueue.
PolicyLint LintPolicy(const priority::Snapshot& snapshot, absl::Span<const priority::Job> jobs,
                      absl::Time as_of);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_ENGINE_EXPLANATION_POLICY_LINT_H_
