// Which jobs priorityd-slurm has set, and to what, kept in a file.
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
  int64_t value = 0;   // The priority or nice value told to slurmctld.
  int64_t before = 0;  // What the job had then: it has this still if slurmctld was never told.
  int64_t nice = 0;    // What its user wanted.

  friend bool operator==(const DrivenJob&, const DrivenJob&) = default;
};

// By job id.
using DrivenJobs = std::map<std::string, DrivenJob>;

// Empty where there is no file yet. INVALID_ARGUMENT names the line.
absl::StatusOr<DrivenJobs> ReadDriveState(const std::string& path);

// The old file or the new one is there, whatever happens. UNAVAILABLE names the file.
absl::Status WriteDriveState(const std::string& path, const DrivenJobs& jobs);

}  // namespace priorityd::slurm_frontend

#endif  // PRIORITYD_CLIENT_SLURM_DRIVE_STATE_H_
