// Parameters with times: decay and reset of usage, recalculations, age, ended jobs. See
// ReadParameter and WriteParameter.
#ifndef PRIORITYD_ENGINE_SLURM_CONF_DECAY_PARAMETERS_H_
#define PRIORITYD_ENGINE_SLURM_CONF_DECAY_PARAMETERS_H_

#include <string>

#include "engine/slurm/conf/policy_draft.h"

namespace priorityd::slurm {

absl::Status ReadHalfLife(absl::string_view value, absl::string_view want, PolicyDraft& draft);
std::string WriteHalfLife(const priority::Policy& policy);  // No decay is 0.

absl::Status ReadCalcPeriod(absl::string_view value, absl::string_view want, PolicyDraft& draft);
std::string WriteCalcPeriod(const priority::Policy& policy);

absl::Status ReadResetPeriod(absl::string_view value, absl::string_view want, PolicyDraft& draft);

absl::Status ReadMaxAge(absl::string_view value, absl::string_view want, PolicyDraft& draft);
std::string WriteMaxAge(const priority::Policy& policy);

// 0, never in Slurm, and what is above kMaxJobAge are kMaxJobAge.
absl::Status ReadMinJobAge(absl::string_view value, absl::string_view want, PolicyDraft& draft);
std::string WriteMinJobAge(const priority::Policy& policy);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_CONF_DECAY_PARAMETERS_H_
