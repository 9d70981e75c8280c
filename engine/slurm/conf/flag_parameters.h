// PriorityFlags and FairShareAlgorithm, which together select the fair-share algorithm. See
// ReadParameter and WriteParameter.
#ifndef PRIORITYD_ENGINE_SLURM_CONF_FLAG_PARAMETERS_H_
#define PRIORITYD_ENGINE_SLURM_CONF_FLAG_PARAMETERS_H_

#include <string>

#include "engine/slurm/conf/policy_draft.h"

namespace priorityd::slurm {

// As in slurmctld, a flag may occur anywhere in a word, and unknown words are ignored; they are
// added to the losses of `draft`. NO_NORMAL_ALL is written as the flags for which it stands.
absl::Status ReadPriorityFlags(absl::string_view value, absl::string_view want, PolicyDraft& draft);
std::string WritePriorityFlags(const priority::Policy& policy);

absl::Status ReadFairShareAlgorithm(absl::string_view value, absl::string_view want,
                                    PolicyDraft& draft);
std::string WriteFairShareAlgorithm(const priority::Policy& policy);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_CONF_FLAG_PARAMETERS_H_
