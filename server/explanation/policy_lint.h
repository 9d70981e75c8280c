// What a policy does, and what in it is hardly meant so.
#ifndef PRIORITYD_SERVER_EXPLANATION_POLICY_LINT_H_
#define PRIORITYD_SERVER_EXPLANATION_POLICY_LINT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/explanation/factor_range.h"
#include "server/priority/job.h"
#include "server/priority/snapshot.h"

namespace priorityd::explanation {

// The codes:
// PRIORITY_BASIC          weights are set, but priority/basic has no priorities.
// NO_WEIGHT               no weight is set: all jobs have priority 1.
// FAIRSHARE_WEIGHT_SMALL  neighbours in the fair tree are less than a point apart.
// WEIGHT_WITHOUT_EFFECT   a weight is set, but its factor is the same everywhere.
// BELOW_ONE_POINT         a factor's largest difference is lost in the cut to integers.
// AGE_FAR_FROM_FULL       no job on the queue has waited for a tenth of PriorityMaxAge.
// FIRST_COME_FIRST_SERVED age outweighs all other factors together by far.
// PRIORITY_OVERFLOW       sums can exceed the largest priority, where all are equal.
// USAGE_COUNTS_FOR_EVER   usage neither decays nor is it reset.
// USAGE_UNBOUNDED         no total is known that usage records could be held against.
// IGNORED_PARAMETER       a parameter is set that nothing reads.
struct PolicyFinding {
  absl::string_view code;  // Static storage.
  std::string parameter;   // By its name in slurm.conf.
  std::string message;     // A sentence with the figures.
};

struct PolicyLint {
  FactorRanges factors;
  std::vector<PolicyFinding> findings;
};

// `jobs` may be empty; see RangesOnQueue.
PolicyLint LintPolicy(const priority::Snapshot& snapshot, absl::Span<const priority::Job> jobs,
                      absl::Time as_of);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_SERVER_EXPLANATION_POLICY_LINT_H_
