// The command lines of `prioctl what-if` and `prioctl policy diff`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_WHAT_IF_OPTIONS_H_
#define PRIORITYD_CLIENT_PRIOCTL_WHAT_IF_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "priority/v1/simulation.pb.h"

namespace priorityd::prioctl {

// `prioctl what-if [FILE]`
struct WhatIfOptions {
  std::string file;    // `-` = standard input; empty = the tracked queue
  std::string policy;  // a slurm.conf; empty = the policy in force
  std::vector<::priority::v1::SupposedShares> shares;
  std::vector<::priority::v1::SupposedUsage> usage;
  std::optional<absl::Time> as_of;
  std::optional<absl::Time> later;
  std::optional<absl::Duration> later_by;  // after as_of, instead of `later`
  uint32_t limit = 0;                      // 0 = all
  bool all = false;                        // also rows that do not move
  bool best_only = false;
  bool json = false;
};

// `prioctl policy diff FILE`, or of two versions
struct PolicyDiffOptions {
  std::string file;  // `-` = standard input; digits alone = a version
  int64_t to = 0;    // The other version; 0 = the newest.
  uint32_t limit = 0;
  bool json = false;
};

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_WHAT_IF_OPTIONS_H_
