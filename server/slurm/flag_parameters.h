// PriorityFlags and FairShareAlgorithm, which name the fair-share algorithm between them.
// See ReadParameter and WriteParameter.
#ifndef PRIORITYD_SERVER_SLURM_FLAG_PARAMETERS_H_
#define PRIORITYD_SERVER_SLURM_FLAG_PARAMETERS_H_

#include <string>

#include "server/slurm/policy_draft.h"

namespace priorityd::slurm {

// As slurmctld, takes what a word contains, and passes over what is none, which goes to the losses
// of `draft`. Written are one by one the flags that NO_NORMAL_ALL stands for.
absl::Status ReadPriorityFlags(absl::string_view value, absl::string_view want, PolicyDraft& draft);
std::string WritePriorityFlags(const priority::Policy& policy);

absl::Status ReadFairShareAlgorithm(absl::string_view value, absl::string_view want,
                                    PolicyDraft& draft);
std::string WriteFairShareAlgorithm(const priority::Policy& policy);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_FLAG_PARAMETERS_H_
