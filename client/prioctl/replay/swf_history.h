// A trace of the Parallel Workloads Archive as job history.
#ifndef PRIORITYD_CLIENT_PRIOCTL_REPLAY_SWF_HISTORY_H_
#define PRIORITYD_CLIENT_PRIOCTL_REPLAY_SWF_HISTORY_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/prioctl/replay/history_file.h"

namespace priorityd::replay {

// Whether the text can be one: its first line that says something is a comment of it, or a line of
// 18 numbers.
bool IsSwf(absl::string_view content);

// Users are called u1, u2, ..., accounts by their groups g1, g2, ... A job of P processors gets the
// fewest nodes that have so many and on each the same number of CPUs; `cpus_per_node` 0 = as the
// header's MaxProcs by MaxNodes. A job without a wait time starts when it is submitted.
// INVALID_ARGUMENT names the line.
absl::StatusOr<History> ReadSwfHistory(const std::string& name, absl::string_view content,
                                       int64_t cpus_per_node);

}  // namespace priorityd::replay

#endif  // PRIORITYD_CLIENT_PRIOCTL_REPLAY_SWF_HISTORY_H_
