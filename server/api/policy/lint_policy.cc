#include "server/api/policy/lint_policy.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "engine/explanation/policy_lint.h"
#include "server/api/policy/convert_lint.h"
#include "server/api/shared/convert_job.h"
#include "server/api/shared/convert_ranking.h"
#include "server/messages/convert_time.h"
#include "server/simulation/supposition.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using SharedSnapshot = std::shared_ptr<const priority::Snapshot>;

// As a recalculation under the policy of the request would compute it.
absl::StatusOr<SharedSnapshot> Supposed(storage::Database& database,
                                        const priority::Snapshot& in_force,
                                        const v1::LintPolicyRequest& request, absl::Time as_of,
                                        absl::Time now) {
  const std::string& name = request.policy_file_name();
  simulation::Supposition supposition;
  supposition.policy = {name.empty() ? "slurm.conf" : name, request.policy_text()};
  supposition.present = std::max(as_of, in_force.computed_at());
  supposition.time = supposition.present;
  supposition.now = now;
  auto supposed = simulation::Suppose(database, in_force.cluster().name, supposition);
  if (!supposed.ok()) return supposed.status();
  return std::move(supposed->snapshot);
}

}  // namespace

absl::Status LintPolicy(storage::Database& database, const SharedSnapshot& in_force,
                        const v1::LintPolicyRequest& request, absl::Time as_of, absl::Time now,
                        v1::LintPolicyResponse* response) {
  absl::StatusOr<SharedSnapshot> looked_at = in_force;
  if (request.has_policy_text()) looked_at = Supposed(database, *in_force, request, as_of, now);
  if (!looked_at.ok()) return looked_at.status();
  const InlineQueue queue(request.jobs().jobs());
  ToProto(explanation::LintPolicy(**looked_at, queue.jobs(), as_of), response);
  ToProto(*in_force, response->mutable_snapshot());
  ToProto(as_of, response->mutable_as_of());
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
