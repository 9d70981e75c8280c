// The parameters that say which limits bite, and what usage can be. See ReadParameter and
// WriteParameter.
#ifndef PRIORITYD_SERVER_SLURM_LIMIT_PARAMETERS_H_
#define PRIORITYD_SERVER_SLURM_LIMIT_PARAMETERS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/slurm/policy_draft.h"

namespace priorityd::slurm {

// As in Slurm limits imply associations, qos implies them too, and safe implies limits. wckeys,
// nojobs and nosteps are accepted; there is nothing here that they are about. Nothing is as if the
// parameter were not there, here and below.
absl::Status ReadEnforcement(absl::string_view value, absl::string_view want, PolicyDraft& draft);
std::string WriteEnforcement(const priority::Policy& policy);

absl::Status ReadPartLimits(absl::string_view value, absl::string_view want, PolicyDraft& draft);
std::string WritePartLimits(const priority::Policy& policy);

absl::Status ReadUsageHeadroom(absl::string_view value, absl::string_view want, PolicyDraft& draft);
std::string WriteUsageHeadroom(const priority::Policy& policy);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_LIMIT_PARAMETERS_H_
