// The queue of a Slurm cluster, from the output of squeue.
#ifndef PRIORITYD_CLIENT_SLURM_TABLES_SQUEUE_JOBS_H_
#define PRIORITYD_CLIENT_SLURM_TABLES_SQUEUE_JOBS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "priority/v1/ranking.pb.h"

namespace priorityd::tables {

// Reads the output of `squeue --json` or `squeue -o "%i|%u|%a|..."` with its heading. Required
// columns are JOBID, USER and STATE (or ST); optional ones are ACCOUNT, PARTITION, QOS,
// TIME_LIMIT, NODES, CPUS, MIN_MEMORY and TRES_PER_NODE (or GRES), else TRES_ALLOC, NAME,
// SUBMIT_TIME, ACCRUE_TIME, START_TIME, DEPENDENCY, NICE, REASON, RESERVATION. Times
// are of `zone`. Jobs that have ended are left out. `losses`, if not null, gets the columns that
// are missing and count in priorities, and values with two meanings; see TableLosses.
// INVALID_ARGUMENT names the line.
absl::StatusOr<::priority::v1::InlineJobs> ReadSqueueJobs(
    const std::string& name, absl::string_view content, absl::TimeZone zone,
    std::vector<std::string>* losses = nullptr);

// The values of slurmctld's order.
struct SqueuePriority {
  bool pending = false;
  int64_t priority = 0;  // 0 = held
  int64_t nice = 0;
  // In scontrol's form: for an array the tasks that are not split off, because its number alone
  // includes the others.
  std::string scontrol_id;
};

// The same of columns PRIORITY (squeue's PriorityLong) and NICE, by job id.
absl::StatusOr<std::map<std::string, SqueuePriority>> ReadSqueuePriorities(
    const std::string& name, absl::string_view content);

}  // namespace priorityd::tables

#endif  // PRIORITYD_CLIENT_SLURM_TABLES_SQUEUE_JOBS_H_
