// `prioctl squeue` and `prioctl scontrol`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SLURM_JOBS_H_
#define PRIORITYD_CLIENT_PRIOCTL_SLURM_JOBS_H_

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "client/prioctl/command_line.h"
#include "client/prioctl/console.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {

void SetSqueue(CLI::App* app, CommandLine& line);
void SetScontrol(CLI::App* app, CommandLine& line);

// As the other commands; see queue.h.
absl::Status Run(const jobs::SqueueOptions& options, const client::PriorityClient& client,
                 Console& console);
absl::Status Run(const jobs::ScontrolOptions& options, const client::PriorityClient& client,
                 Console& console);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SLURM_JOBS_H_
