// Findings on probable mistakes in grants.
#ifndef PRIORITYD_ENGINE_EXPLANATION_GRANT_LINT_H_
#define PRIORITYD_ENGINE_EXPLANATION_GRANT_LINT_H_

#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/explanation/policy_lint.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::explanation {

// At most one of each code:
// GRANTS_IN_EFFECT      grants with a consequence are used up: for how many users, and of `jobs`
// for
//                       how many pending ones.
// GRANT_OWNER_UNKNOWN   no account or user of a grant exists: it holds for nobody.
// GRANT_WITHOUT_EFFECT  a consequence can lower no priority under the policy.
// GRANT_ENDS            after the end of a grant no other one of its owner follows.
std::vector<PolicyFinding> LintGrants(const priority::Snapshot& snapshot,
                                      absl::Span<const priority::Job> jobs, absl::Time as_of);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_ENGINE_EXPLANATION_GRANT_LINT_H_
