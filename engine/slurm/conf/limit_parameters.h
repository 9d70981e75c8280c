// Parameters on the enforcement of limits and on bounds of usage. See ReadParameter and
// WriteParameter.
#ifndef PRIORITYD_ENGINE_SLURM_CONF_LIMIT_PARAMETERS_H_
#define PRIORITYD_ENGINE_SLURM_CONF_LIMIT_PARAMETERS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "engine/slurm/conf/policy_draft.h"

namespace priorityd::slurm {

// As in Slurm, `limits` and `qos` imply `associations`, and `safe` implies `limits`. `wckeys`,
// `nojobs` and `nosteps` are accepted and have no effect. An empty value is as if the parameter
// were missing, here and below.
absl::Status ReadEnforcement(absl::string_view value, absl::string_view want, PolicyDraft& draft);
std::string WriteEnforcement(const priority::Policy& policy);

absl::Status ReadPartLimits(absl::string_view value, absl::string_view want, PolicyDraft& draft);
std::string WritePartLimits(const priority::Policy& policy);

absl::Status ReadUsageHeadroom(absl::string_view value, absl::string_view want, PolicyDraft& draft);
std::string WriteUsageHeadroom(const priority::Policy& policy);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_CONF_LIMIT_PARAMETERS_H_
