// The words of sacctmgr, which may be those of prioctl's own commands.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SLURM_SACCTMGR_COMMAND_H_
#define PRIORITYD_CLIENT_PRIOCTL_SLURM_SACCTMGR_COMMAND_H_

#include <string>
#include <vector>

#include "CLI/CLI.hpp"

namespace priorityd::prioctl {

inline constexpr char kSacctmgr[] = "sacctmgr";

// The arguments of prioctl, or of sacctmgr itself if `tool` is that: where they call sacctmgr, its
// words stand last, behind `--`, so that none of them (`cluster`) is taken for a command of
// prioctl, and options may stand anywhere.
std::vector<std::string> WithWordsLast(const CLI::App& app, const std::string& tool,
                                       std::vector<std::string> arguments);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SLURM_SACCTMGR_COMMAND_H_
