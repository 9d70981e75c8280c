// The differences between two texts, line by line.
#ifndef PRIORITYD_CLIENT_PRIOCTL_TEXT_LINE_DIFF_H_
#define PRIORITYD_CLIENT_PRIOCTL_TEXT_LINE_DIFF_H_

#include <string>

#include "absl/strings/string_view.h"

namespace priorityd::prioctl {

// The lines that only `before` has as `-line`, those that only `after` has as `+line`, in their
// order; lines of both are left out. Of very long texts that differ a lot, all between the first
// and the last difference.
std::string LineDiff(absl::string_view before, absl::string_view after);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_TEXT_LINE_DIFF_H_
