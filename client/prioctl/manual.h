// Completion for shells and a man page, from the definitions of prioctl's commands.
#ifndef PRIORITYD_CLIENT_PRIOCTL_MANUAL_H_
#define PRIORITYD_CLIENT_PRIOCTL_MANUAL_H_

#include <functional>
#include <string>

#include "CLI/CLI.hpp"

namespace priorityd::prioctl {

// A script for bash to source, by which it completes commands, options, and names that the service
// knows, which it asks `prioctl complete` for; files elsewhere.
std::string BashCompletion(const CLI::App& app);

// The same for zsh, which reads completions of bash.
std::string ZshCompletion(const CLI::App& app);

// The same for fish, with the line of help of each word.
std::string FishCompletion(const CLI::App& app);

// A page in roff for man, of all commands with all their options.
std::string ManPage(const CLI::App& app, const std::string& version);

using Completion = std::string (*)(const CLI::App& app);

// `completion` and `man`, which print them. `of_links` gives the completion of each of Slurm's
// tools, for --links. REQUIRES: `app` outlives the command line.
void AddManual(CLI::App& app, const std::string& version,
               std::function<std::string(Completion)> of_links);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_MANUAL_H_
