// The settings for planning the starts of waiting jobs: SchedulerType and SchedulerParameters.
#ifndef PRIORITYD_ENGINE_PRIORITY_SITE_SCHEDULING_H_
#define PRIORITYD_ENGINE_PRIORITY_SITE_SCHEDULING_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/time/time.h"

namespace priorityd::priority {

// Unset = Slurm's default.
struct Scheduling {
  bool backfill = true;                   // False = sched/builtin.
  std::optional<uint32_t> max_job_test;   // bf_max_job_test, from 1.
  std::optional<uint32_t> max_job_user;   // bf_max_job_user; 0 = no limit, as for the next two.
  std::optional<uint32_t> max_job_assoc;  // bf_max_job_assoc.
  std::optional<uint32_t> max_job_part;   // bf_max_job_part.
  std::optional<absl::Duration> window;   // bf_window, at least a minute.
  // PartitionNodeCaps: the nodes that the jobs of a partition may use at a time, by its name.
  std::map<std::string, uint32_t> node_caps;

  friend bool operator==(const Scheduling&, const Scheduling&) = default;
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_SITE_SCHEDULING_H_
