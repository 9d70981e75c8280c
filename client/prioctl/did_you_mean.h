// Suggestions for a mistyped word.
#ifndef PRIORITYD_CLIENT_PRIOCTL_DID_YOU_MEAN_H_
#define PRIORITYD_CLIENT_PRIOCTL_DID_YOU_MEAN_H_

#include <string>

#include "CLI/CLI.hpp"

namespace priorityd::prioctl {

// `; did you mean rank?` for the first argument that `app`, which was parsed in vain, did
// not know; empty if nothing is like it. For an option of a command that is in front of the command
// it says so.
std::string DidYouMean(const CLI::App& app);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_DID_YOU_MEAN_H_
