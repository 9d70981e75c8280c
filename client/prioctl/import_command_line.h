// The options of `prioctl import squeue` and `prioctl import sacct`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_IMPORT_COMMAND_LINE_H_
#define PRIORITYD_CLIENT_PRIOCTL_IMPORT_COMMAND_LINE_H_

#include "CLI/CLI.hpp"
#include "client/prioctl/command_line.h"

namespace priorityd::prioctl {

void AddImportSqueue(CLI::App* import, CommandLine& line);
void AddImportSacct(CLI::App* import, CommandLine& line);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_IMPORT_COMMAND_LINE_H_
