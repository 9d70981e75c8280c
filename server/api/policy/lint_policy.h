// LintPolicy: checks the effect of the policy in force, or of a hypothetical one, on a queue.
#ifndef PRIORITYD_SERVER_API_POLICY_LINT_POLICY_H_
#define PRIORITYD_SERVER_API_POLICY_LINT_POLICY_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "engine/priority/snapshot/snapshot.h"
#include "priority/v1/lint.pb.h"
#include "storage/database/database.h"

namespace priorityd::rpc {

// Answers a valid request for `as_of`. Reads the database only if the request has a policy, with
// errors of simulation::Suppose. `now`: the real clock.
absl::Status LintPolicy(storage::Database& database,
                        const std::shared_ptr<const priority::Snapshot>& in_force,
                        const ::priority::v1::LintPolicyRequest& request, absl::Time as_of,
                        absl::Time now, ::priority::v1::LintPolicyResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_POLICY_LINT_POLICY_H_
