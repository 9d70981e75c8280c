// What somebody may have meant who mistyped a word.
#ifndef PRIORITYD_CLIENT_PRIOCTL_DID_YOU_MEAN_H_
#define PRIORITYD_CLIENT_PRIOCTL_DID_YOU_MEAN_H_

#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/string_view.h"

namespace priorityd::prioctl {

// The word of `known` with the fewest letters different, left out, added or changed
// about; empty if that is more than a third of the letters, or `word` is too short to tell.
std::string ClosestWord(absl::string_view word, const std::vector<std::string>& known);

// `; did you mean rank?` for the first argument that `app`, which was parsed in vain, did
// not know; empty if nothing is like it.
std::string DidYouMean(const CLI::App& app);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_DID_YOU_MEAN_H_
