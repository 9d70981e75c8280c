// Reads the Standard Workload Format of the Parallel Workloads Archive
// (https://www.cs.huji.ac.il/labs/parallel/workload/swf.html).
#ifndef PRIORITYD_CLIENT_SWF_SWF_H_
#define PRIORITYD_CLIENT_SWF_SWF_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace priorityd::swf {

// A line. A trace has -1 for unknown values.
struct SwfJob {
  int64_t number = 0;
  absl::Time submit_time;
  std::optional<absl::Duration> wait_time;       // Unset: unknown.
  std::optional<absl::Duration> run_time;        // Unset: unknown.
  int64_t processors = 0;                        // Allocated, else requested; 0 = unknown.
  std::optional<absl::Duration> requested_time;  // Unset: none.
  int64_t user = -1;
  int64_t group = -1;
  int64_t queue = -1;
  int64_t partition = -1;
  bool never_ran = false;  // Cancelled, and no processors were allocated.
};

struct SwfTrace {
  // The header's MaxNodes and MaxProcs; 0 = none.
  int64_t max_nodes = 0;
  int64_t max_processors = 0;
  std::vector<SwfJob> jobs;  // In the order of the file.
};

// Times count from the header's UnixStartTime, or from 2000-01-01 UTC without one.
// INVALID_ARGUMENT names the line.
absl::StatusOr<SwfTrace> ParseSwf(absl::string_view text);

}  // namespace priorityd::swf

#endif  // PRIORITYD_CLIENT_SWF_SWF_H_
