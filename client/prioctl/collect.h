// `prioctl collect`: the collectors, a program of their own.
#ifndef PRIORITYD_CLIENT_PRIOCTL_COLLECT_H_
#define PRIORITYD_CLIENT_PRIOCTL_COLLECT_H_

#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "client/prioctl/command_line.h"

namespace priorityd::prioctl {

// The command, which when it is parsed replaces this process by the priorityd-collect in PATH, with
// all words after `collect` and, in the environment, the server, cluster and token file of the
// words before it; a CLI::ParseError where there is none. REQUIRES: both outlive the command line.
void AddCollect(CLI::App& app, CommandLine& line);

// The words of a command line, with `--` before those that are the program's: they may have names
// of commands and options of prioctl.
std::vector<std::string> WithCollectorsWordsApart(std::vector<std::string> words);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_COLLECT_H_
