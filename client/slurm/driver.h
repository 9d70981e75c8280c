// Makes slurmctld start jobs in our order.
#ifndef PRIORITYD_CLIENT_SLURM_DRIVER_H_
#define PRIORITYD_CLIENT_SLURM_DRIVER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/slurm/commands.h"
#include "client/slurm/drive_state.h"
#include "client/slurm/tables/sprio_table.h"
#include "client/slurm/tables/squeue_jobs.h"
#include "priority/v1/ranking.pb.h"

namespace priorityd::slurm_frontend {

struct DriveOptions {
  bool by_nice = false;     // Else by priority.
  std::string state_file;   // The jobs that were set; required except in a dry run.
  bool dry_run = false;     // Print the changes only.
  int64_t batch = 100;      // Jobs in one call of scontrol.
  int64_t most = 1000;      // Jobs set in a pass, in start order.
  double per_second = 100;  // Jobs set a second at most.
};

// The state of slurmctld before the changes.
struct DriveInput {
  std::map<std::string, tables::SqueuePriority> jobs;
  std::vector<tables::SprioRow> sprio;  // Empty under priority/basic.
  bool multifactor = true;
};

struct DriveReport {
  int64_t ordered = 0;              // Jobs in our order that may be set.
  int64_t by_hand = 0;              // Unchanged: an administrator has set them.
  std::vector<std::string> set;     // The commands, each a line for scontrol.
  int64_t left = 0;                 // Changes for the next pass.
  std::vector<std::string> errors;  // The errors of scontrol.
};

// Not thread-safe. After an error the next call continues from the state of slurmctld.
class Driver {
 public:
  // `sleep` waits between batches.
  Driver(DriveOptions options, RunCommand run, std::function<void(absl::Duration)> sleep);

  // Loads the values that an earlier run has set.
  absl::Status Load();

  // Restores the users' and administrators' values in the jobs that we have set, so that our own
  // changes are not read as theirs.
  void Restore(const DriveInput& input, ::priority::v1::InlineJobs* jobs) const;

  // `order`: job ids, the first starts first. Held jobs and those that an administrator has set
  // are not changed, whatever their place.
  absl::StatusOr<DriveReport> Drive(const std::vector<std::string>& order, const DriveInput& input);

  // Returns the order to slurmctld: resets the values that we set and that have not changed since.
  absl::StatusOr<DriveReport> Release(const DriveInput& input);

 private:
  struct Change {
    std::string job_id;
    DrivenJob job;
  };

  bool IsOurs(const std::string& id, const tables::SqueuePriority& now) const;
  bool IsByHand(const std::string& id, const tables::SqueuePriority& now,
                const std::map<std::string, const tables::SprioRow*>& sprio,
                bool multifactor) const;
  // Whether the priority itself was set.
  bool IsPriorityByHand(const std::string& id, const tables::SqueuePriority& now,
                        const std::map<std::string, const tables::SprioRow*>& sprio,
                        bool multifactor) const;
  int64_t ValueOf(const tables::SqueuePriority& job) const;
  std::vector<Change> Changes(const std::vector<std::string>& order, const DriveInput& input,
                              DriveReport* report) const;
  absl::Status Send(const std::vector<Change>& batch, DriveReport* report);
  absl::Status SendRelease(const std::vector<std::string>& ids, const DriveInput& input,
                           DriveReport* report);
  absl::Status Save() const;
  void Run(const std::string& lines, DriveReport* report);

  const DriveOptions options_;
  const RunCommand run_;
  const std::function<void(absl::Duration)> sleep_;
  DrivenJobs driven_;
};

}  // namespace priorityd::slurm_frontend

#endif  // PRIORITYD_CLIENT_SLURM_DRIVER_H_
