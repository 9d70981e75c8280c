// `prioctl collect`: the collectors, a program of their own.
#ifndef PRIORITYD_CLIENT_PRIOCTL_USAGE_COLLECT_H_
#define PRIORITYD_CLIENT_PRIOCTL_USAGE_COLLECT_H_

#include <string>
#include <vector>

namespace priorityd::prioctl {

// The words of a command line, with `--` before those that are the program's: they may have names
// of commands and options of prioctl.
std::vector<std::string> WithCollectorsWordsApart(std::vector<std::string> words);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_USAGE_COLLECT_H_
