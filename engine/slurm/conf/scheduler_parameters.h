// Reads SchedulerType and SchedulerParameters of a slurm.conf.
#ifndef PRIORITYD_ENGINE_SLURM_CONF_SCHEDULER_PARAMETERS_H_
#define PRIORITYD_ENGINE_SLURM_CONF_SCHEDULER_PARAMETERS_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/slurm/words/file_violations.h"

namespace priorityd::slurm {

// The parameters that plans use; unset = not in the file. All other words of SchedulerParameters
// (Slurm has about a hundred) are skipped.
struct SchedulerParameters {
  std::optional<bool> backfill;          // sched/backfill; false = sched/builtin.
  std::optional<uint32_t> max_job_test;  // bf_max_job_test; 1 to 1,000,000, as the next three.
  std::optional<uint32_t> max_job_user;  // bf_max_job_user; 0 = all, here and below.
  std::optional<uint32_t> max_job_assoc;
  std::optional<uint32_t> max_job_part;
  std::optional<absl::Duration> window;  // bf_window, in minutes in the file; up to 43200.
};

// `files` as in ParseSlurmConf. INVALID_ARGUMENT has a list of violations (see file_violations.h):
// an unknown SchedulerType, a number out of range. REQUIRES: files is not empty.
absl::StatusOr<SchedulerParameters> ParseSchedulerParameters(absl::Span<const SourceFile> files);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_CONF_SCHEDULER_PARAMETERS_H_
