// The options of `prioctl sacctmgr`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_COMMAND_LINE_H_
#define PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_COMMAND_LINE_H_

#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "client/prioctl/command_line.h"

namespace priorityd::prioctl {

inline constexpr char kSacctmgr[] = "sacctmgr";

void SetSacctmgr(CLI::App* app, CommandLine& line);

// The arguments of prioctl, or of sacctmgr itself if `tool` is that: where they call sacctmgr, its
// words stand last, behind `--`, so that none of them (`cluster`) is taken for a command of
// prioctl, and options may stand anywhere.
std::vector<std::string> WithWordsLast(const CLI::App& app, const std::string& tool,
                                       std::vector<std::string> arguments);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_COMMAND_LINE_H_
