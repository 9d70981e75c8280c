// SchedulerType, SchedulerParameters and PartitionNodeCaps of a slurm.conf, read and written.
#ifndef PRIORITYD_ENGINE_SLURM_CONF_SCHEDULER_PARAMETERS_H_
#define PRIORITYD_ENGINE_SLURM_CONF_SCHEDULER_PARAMETERS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "engine/slurm/conf/policy_draft.h"

namespace priorityd::slurm {

// Types as slurmctld; another type is a loss and counts as sched/backfill.
absl::Status ReadSchedulerType(absl::string_view value, absl::string_view want, PolicyDraft& draft);
std::string WriteSchedulerType(const priority::Policy& policy);

// The words bf_max_job_test, bf_max_job_user, bf_max_job_assoc, bf_max_job_part (up to 1,000,000)
// and bf_window (minutes, up to 43200); max_job_bf is the old name of the first; all others are
// skipped. A number out of range is a loss, as slurmctld takes its default instead.
absl::Status ReadSchedulerParameters(absl::string_view value, absl::string_view want,
                                     PolicyDraft& draft);
std::string WriteSchedulerParameters(const priority::Policy& policy);

// `owner1=8,owner2=4`: at most 1000 partitions, each once.
absl::Status ReadPartitionNodeCaps(absl::string_view value, absl::string_view want,
                                   PolicyDraft& draft);
std::string WritePartitionNodeCaps(const priority::Policy& policy);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_CONF_SCHEDULER_PARAMETERS_H_
