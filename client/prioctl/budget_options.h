// The command lines of `prioctl budget`, `budget events`, `qos-usage`, `cost`, `sacct`
// and `seff`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_BUDGET_OPTIONS_H_
#define PRIORITYD_CLIENT_PRIOCTL_BUDGET_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "client/prioctl/slurm_table.h"

namespace priorityd::prioctl {

// `prioctl budget`
struct BudgetOptions {
  std::vector<std::string> accounts;
  std::vector<std::string> users;
  std::vector<std::string> qos;
  bool subtree = false;
  int32_t days = 7;  // How far back usage counts for the rate.
  bool json = false;
};

// `prioctl budget events`
struct BudgetEventsOptions {
  int64_t after = 0;
  std::vector<std::string> accounts;
  std::vector<std::string> users;
  std::vector<std::string> qos;
  bool json = false;
};

// `prioctl qos-usage`
struct QosUsageOptions {
  std::vector<std::string> qos;
  bool json = false;
};

// `prioctl cost JOBID`, or of a job of a file.
struct CostOptions {
  std::string job_id;
  std::string file;  // Jobs as JSON Lines; empty = the tracked queue.
  bool json = false;
};

// `prioctl sacct`, by Slurm's options.
struct SacctOptions {
  std::vector<std::string> jobs;
  std::vector<std::string> users;
  std::vector<std::string> accounts;
  bool all_users = false;
  std::string start;  // As given; empty = midnight, with jobs the beginning.
  std::string end;    // Empty = now.
  std::string format;
  bool header = true;
  SlurmLayout layout = SlurmLayout::kFixedWidth;
  bool json = false;
};

// `prioctl seff JOBID`
struct SeffOptions {
  std::string job_id;
  bool json = false;
};

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_BUDGET_OPTIONS_H_
