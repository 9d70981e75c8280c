// PreemptType, PreemptMode, PreemptParameters and PreemptExemptTime. See ReadParameter and
// WriteParameter.
#ifndef PRIORITYD_ENGINE_SLURM_CONF_PREEMPT_PARAMETERS_H_
#define PRIORITYD_ENGINE_SLURM_CONF_PREEMPT_PARAMETERS_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/priority/site/cluster.h"
#include "engine/slurm/conf/policy_draft.h"

namespace priorityd::slurm {

// The words of PreemptMode, some of which can be combined (`SUSPEND,GANG`).
inline constexpr absl::string_view kPreemptModes =
    "OFF, CANCEL, GANG, PRIORITY, REQUEUE, SUSPEND or WITHIN";

// The value in upper case without blanks, GANG and WITHIN first, as Slurm prints it.
std::string SpellPreemptMode(absl::string_view text);

// PreemptMode of a partition, OFF included.
std::string PreemptModeText(const priority::Partition& partition);

// Whether jobs can be preempted: any word but OFF. Also for a PartitionName line. INVALID_ARGUMENT
// `got "x", want y`.
absl::StatusOr<bool> ParsePreemptMode(absl::string_view text);

absl::Status ReadPreemptType(absl::string_view value, absl::string_view want, PolicyDraft& draft);
std::string WritePreemptType(const priority::Policy& policy);

absl::Status ReadPreemptMode(absl::string_view value, absl::string_view want, PolicyDraft& draft);
std::string WritePreemptMode(const priority::Policy& policy);

// min_exempt_priority=N, reclaim_licenses and youngest_first; the other words have no effect.
absl::Status ReadPreemptParameters(absl::string_view value, absl::string_view want,
                                   PolicyDraft& draft);
std::string WritePreemptParameters(const priority::Policy& policy);

// As in Slurm, -1 and INFINITE mean 0.
absl::Status ReadPreemptExemptTime(absl::string_view value, absl::string_view want,
                                   PolicyDraft& draft);
std::string WritePreemptExemptTime(const priority::Policy& policy);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_CONF_PREEMPT_PARAMETERS_H_
