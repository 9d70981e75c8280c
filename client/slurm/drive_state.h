// The jobs that priorityd-slurm has set, with their values, stored in a file.
#ifndef PRIORITYD_CLIENT_SLURM_DRIVE_STATE_H_
#define PRIORITYD_CLIENT_SLURM_DRIVE_STATE_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace priorityd::slurm_frontend {

// A job that was set.
struct DrivenJob {
  int64_t value = 0;   // The priority or nice value sent to slurmctld.
  int64_t before = 0;  // The job's value before; it still has it if slurmctld never got `value`.
  int64_t nice = 0;    // The user's nice value.

  friend bool operator==(const DrivenJob&, const DrivenJob&) = default;
};

// By job id.
using DrivenJobs = std::map<std::string, DrivenJob>;

// Empty if the file does not exist yet. INVALID_ARGUMENT names the line.
absl::StatusOr<DrivenJobs> ReadDriveState(const std::string& path);

// Atomic: a crash leaves the old file or the new one. UNAVAILABLE names the file.
absl::Status WriteDriveState(const std::string& path, const DrivenJobs& jobs);

}  // namespace priorityd::slurm_frontend

#endif  // PRIORITYD_CLIENT_SLURM_DRIVE_STATE_H_
