// --help whose lines fit a terminal.
#ifndef PRIORITYD_CLIENT_PRIOCTL_COMMAND_WRAPPED_HELP_H_
#define PRIORITYD_CLIENT_PRIOCTL_COMMAND_WRAPPED_HELP_H_

#include <memory>

#include "CLI/CLI.hpp"

namespace priorityd::prioctl {

// Breaks the descriptions of options and commands between words, so that their lines have at most
// 100 characters; a longer word has a line of its own.
std::shared_ptr<CLI::FormatterBase> WrappedHelp();

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_COMMAND_WRAPPED_HELP_H_
