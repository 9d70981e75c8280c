// The facts of the ledger about jobs beside their usage, as sacct and seff write them.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SLURM_ACCOUNTING_TEXT_H_
#define PRIORITYD_CLIENT_PRIOCTL_SLURM_ACCOUNTING_TEXT_H_

#include <string>

#include "priority/v1/usage.pb.h"

namespace priorityd::prioctl {

// 1-02:03:04, 00:03:04. Rounded to seconds.
std::string ElapsedText(double seconds);

// 0:9, the exit code and the signal; empty if it was not recorded.
std::string ExitCodeText(const ::priority::v1::JobAccounting& job);

// UNLIMITED, 01:00:00; empty if it was not recorded.
std::string TimeLimitText(const ::priority::v1::JobAccounting& job);

// 1234K; empty if it was not recorded.
std::string MaxRssText(const ::priority::v1::JobAccounting& job);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SLURM_ACCOUNTING_TEXT_H_
