// The events of a simulation, as text.
#ifndef PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_EVENT_LOG_H_
#define PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_EVENT_LOG_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "client/examples/batch_frontend/job.h"
#include "client/examples/batch_frontend/player.h"

namespace priorityd::batch_frontend {

// A line for each submission, start and end, by time (at one time ends first, then
// submissions, then starts), then in the order of the jobs:
//   1993-10-01T07:24:23Z start 2 nodes 0-3,7 backfilled
std::string EventLog(const std::vector<Job>& jobs, const std::vector<PlayedJob>& played);

// FNV-1a, 64 bits: differs between logs, and is the same everywhere.
uint64_t Digest(absl::string_view text);

}  // namespace priorityd::batch_frontend

#endif  // PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_EVENT_LOG_H_
