// The command lines of `prioctl plan` and `prioctl preempt`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_PLAN_OPTIONS_H_
#define PRIORITYD_CLIENT_PRIOCTL_PLAN_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "priority/v1/plan.pb.h"

namespace priorityd::prioctl {

// What there is, of files and options.
struct DescribedNodes {
  std::string file;  // --nodes; empty = not described
  std::vector<::priority::v1::PartitionCap> caps;
};

// `prioctl plan [JOBID...]`
struct PlanOptions {
  std::vector<std::string> job_ids;  // none = all
  std::string queue;                 // `-` = standard input; empty = the tracked queue
  DescribedNodes nodes;
  ::priority::v1::Backfill backfill = ::priority::v1::BACKFILL_EASY;
  uint32_t max_jobs = 0;  // 0 = the service's default
  std::optional<absl::Duration> window;
  std::optional<absl::Time> as_of;
  bool json = false;
};

// `prioctl preempt JOBID`
struct PreemptOptions {
  std::string job_id;
  std::string queue;  // as above
  DescribedNodes nodes;
  std::optional<uint32_t> exempt_seconds;  // Unset = as configured.
  std::optional<absl::Time> as_of;
  bool json = false;
};

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_PLAN_OPTIONS_H_
