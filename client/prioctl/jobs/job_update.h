// `scontrol update JobId=...`: what its words change.
#ifndef PRIORITYD_CLIENT_PRIOCTL_JOBS_JOB_UPDATE_H_
#define PRIORITYD_CLIENT_PRIOCTL_JOBS_JOB_UPDATE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "client/prioctl/jobs/job_selection.h"
#include "priority/v1/queue.pb.h"

namespace priorityd::jobs {

// One word: `Nice=50`.
struct Setting {
  std::string name;                  // scontrol's own word, `Nice`.
  std::optional<std::string> value;  // Unset where no `=` stands.
};

struct JobUpdate {
  std::vector<JobName> jobs;
  std::vector<Setting> settings;
  // As of UpdateJobsRequest: the settings become leases; empty = not given.
  std::string from;
  std::string until;
};

// Words such as `JobId=7 nice=50 until=now+2hours`; case does not matter, and three letters are
// enough where no other word begins so. INVALID_ARGUMENT as scontrol has it, also for words of
// Slurm's that are not priorityd's.
absl::StatusOr<JobUpdate> ParseJobUpdate(const std::vector<std::string>& words);

// Applies the settings to `job`: adds its fields to `changed`, and their names to `paths`.
absl::Status ApplySettings(const std::vector<Setting>& settings, const ::priority::v1::Job& job,
                           absl::Time now, ::priority::v1::Job* changed,
                           std::vector<std::string>* paths);

// `now`, `now+2hours`, `2026-11-23`, `2026-11-23T08:00[:00]`, `08:00[:00]`, `midnight`, `noon`,
// `tomorrow`, in the local time zone; the next one, of times of day.
std::optional<absl::Time> ParseBegin(absl::string_view text, absl::Time now);

}  // namespace priorityd::jobs

#endif  // PRIORITYD_CLIENT_PRIOCTL_JOBS_JOB_UPDATE_H_
