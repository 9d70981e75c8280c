// What a slurm.conf says of the scheduler: SchedulerType and SchedulerParameters.
#ifndef PRIORITYD_SERVER_SLURM_SCHEDULER_PARAMETERS_H_
#define PRIORITYD_SERVER_SLURM_SCHEDULER_PARAMETERS_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/slurm/file_violations.h"

namespace priorityd::slurm {

// Those that a plan of starts has; unset = there is no such line. All other words of
// SchedulerParameters are skipped, as Slurm has a hundred of them.
struct SchedulerParameters {
  std::optional<bool> backfill;          // sched/backfill; false = sched/builtin.
  std::optional<uint32_t> max_job_test;  // bf_max_job_test; 1 to 1,000,000, as the next three.
  std::optional<uint32_t> max_job_user;  // bf_max_job_user; 0 = all, here and below.
  std::optional<uint32_t> max_job_assoc;
  std::optional<uint32_t> max_job_part;
  std::optional<absl::Duration> window;  // bf_window, in minutes in the file; up to 43200.
};

// `files` as ParseSlurmConf takes them. INVALID_ARGUMENT carries a list of violations (see
// file_violations.h): another SchedulerType, a number out of its range.
// REQUIRES: files is not empty.
absl::StatusOr<SchedulerParameters> ParseSchedulerParameters(absl::Span<const SourceFile> files);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_SCHEDULER_PARAMETERS_H_
