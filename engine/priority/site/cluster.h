// The configuration of a cluster besides its association tree: totals, QOS, partitions.
#ifndef PRIORITYD_ENGINE_PRIORITY_SITE_CLUSTER_H_
#define PRIORITYD_ENGINE_PRIORITY_SITE_CLUSTER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "engine/priority/site/limit_kind.h"
#include "engine/priority/site/tres.h"

namespace priorityd::priority {

// Totals of a cluster, including nodes that are down.
struct Cluster {
  std::string name;
  double nodes = 0;
  double cpus = 0;
  TresMap tres;  // Includes the global TRES: license/*, bb/*.
};

// A QOS; named as in `sacctmgr show qos`.
struct Qos {
  std::string name;
  uint32_t priority = 0;
  double usage_factor = 1;  // At least 0; 0 = free.
  std::optional<double> usage_threshold;
  bool no_decay = false;                 // Flag NoDecay.
  bool enforce_usage_threshold = false;  // Flag EnforceUsageThreshold.
  std::vector<std::string> preempt;      // The QOS whose jobs it can preempt.
  // The time for which its jobs run before they can be preempted; unset = the policy's.
  std::optional<absl::Duration> preempt_exempt_time;
  std::string preempt_mode;                          // In upper case; empty = the policy's.
  absl::Duration grace_time = absl::ZeroDuration();  // Of its jobs that are preempted.
  // MaxSubmitJobsPerUser: pending, running and suspended jobs of one user under this QOS.
  std::optional<uint32_t> max_submit_jobs_per_user;
  TresMap grp_tres_mins;  // TRES-minutes.
  std::optional<absl::Duration> grp_wall;
  std::vector<LimitValue> other_limits;     // All other kinds; each kind and TRES once.
  double limit_factor = 1;                  // Multiplies GrpTRES and MaxTRES of associations.
  bool deny_on_limit = false;               // Flag DenyOnLimit.
  bool over_part_qos = false;               // Flag OverPartQOS.
  bool partition_max_nodes = false;         // Flag PartitionMaxNodes: jobs may exceed MaxNodes.
  bool partition_min_nodes = false;         // Flag PartitionMinNodes.
  bool partition_time_limit = false;        // Flag PartitionTimeLimit.
  bool relative = false;                    // Flag Relative: TRES limits in percent.
  bool no_reserve = false;                  // Flag NoReserve: its jobs get no planned start.
  std::optional<uint32_t> min_prio_thresh;  // Jobs below this priority get none either.
  // Pending jobs that accrue age: under this QOS, of one user under it, of one account under it.
  std::optional<uint32_t> grp_jobs_accrue;
  std::optional<uint32_t> max_jobs_accrue_per_user;
  std::optional<uint32_t> max_jobs_accrue_per_account;

  friend bool operator==(const Qos&, const Qos&) = default;
};

// A partition; named as in the PartitionName lines of slurm.conf.
struct Partition {
  std::string name;
  double nodes = 0;  // The number of its nodes.
  TresMap tres;      // Totals of its nodes; `cpu`, `mem` in MB, `node`, gres/*.
  bool is_default = false;
  uint32_t priority_job_factor = 1;
  uint32_t priority_tier = 1;
  TresMap billing_weights;  // TRESBillingWeights per base unit; empty = none.
  absl::Duration max_time = absl::InfiniteDuration();
  std::optional<absl::Duration> default_time;  // Unset = max_time.
  uint32_t min_nodes = 0;
  std::optional<uint32_t> max_nodes;        // Unset = unlimited.
  std::vector<std::string> allow_accounts;  // Empty = all.
  std::vector<std::string> deny_accounts;   // Read only if allow_accounts is empty.
  std::vector<std::string> allow_qos;       // Empty = all.
  std::vector<std::string> deny_qos;        // Read only if allow_qos is empty.
  std::string qos;                          // The partition's own QOS; empty = none.
  // State: UP is up and open, DOWN open alone, DRAIN up alone, INACTIVE neither.
  bool up = true;                             // Its jobs may start.
  bool open = true;                           // New jobs are accepted.
  bool preemptible = false;                   // PreemptMode other than OFF.
  std::string preempt_mode;                   // In upper case; empty = REQUEUE or OFF.
  bool root_only = false;                     // RootOnly: only jobs of root are accepted.
  std::optional<uint32_t> max_cpus_per_node;  // Unset = unlimited, here and below.
  std::optional<double> max_mem_per_node;     // MB.
  std::vector<std::string> allow_groups;      // Empty = all.

  friend bool operator==(const Partition&, const Partition&) = default;
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_SITE_CLUSTER_H_
