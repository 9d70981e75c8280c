// sprio's list of jobs.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SLURM_SPRIO_ROWS_H_
#define PRIORITYD_CLIENT_PRIOCTL_SLURM_SPRIO_ROWS_H_

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "priority/v1/policy.pb.h"
#include "priority/v1/queue.pb.h"
#include "priority/v1/ranking.pb.h"

namespace priorityd::prioctl {

// `prioctl sprio`, by Slurm's options.
struct SprioOptions {
  bool weights = false;                 // -w
  bool long_listing = false;            // -l
  bool normalized = false;              // -n
  std::string format;                   // -o
  std::string sort;                     // -S
  std::vector<std::string> users;       // -u
  std::vector<std::string> jobs;        // -j
  std::vector<std::string> partitions;  // -p
  bool header = true;                   // not -h
  std::optional<absl::Time> as_of;
  bool json = false;
};

// OK, or INVALID_ARGUMENT: --format or --sort. Says so before anything is asked.
absl::Status CheckOptions(const SprioOptions& options);

// The jobs that have rows in several partitions.
std::vector<std::string> JobsOfSeveralRows(const ::priority::v1::RankJobsResponse& answer);

// Brings the rows in the order of their jobs' ids, and those of one job in the order in which it
// names its partitions, as sprio lists them. `jobs`: those of JobsOfSeveralRows.
void OrderAsNamed(const ::priority::v1::ListJobsResponse& jobs,
                  ::priority::v1::RankJobsResponse* answer);

// Whether sprio also lists running jobs: PriorityFlags=CALCULATE_RUNNING.
bool ListsRunningJobs(const ::priority::v1::PolicyParameters& parameters);

// Prints pending jobs as sprio does, in its columns and widths: those in the start
// order, and those that only a limit or a partition keeps back. Held, dependent
// and later jobs are not listed (dependent and later ones are under ACCRUE_ALWAYS). Prints
// running jobs under CALCULATE_RUNNING. `answer` is in the FULL view. INVALID_ARGUMENT: --format or
// --sort.
absl::Status PrintPriorities(const ::priority::v1::RankJobsResponse& answer,
                             const ::priority::v1::PolicyParameters& parameters,
                             const SprioOptions& options, std::ostream& out);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SLURM_SPRIO_ROWS_H_
